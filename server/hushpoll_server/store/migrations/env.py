"""Run Alembic on the connection that `hushpoll_server.store.migrate` passes."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
