# Hushpoll from this checkout: docker build --tag hushpoll . (see docs/deploy.md)
FROM python:3.11-slim AS build
WORKDIR /checkout
RUN python -m venv /opt/hushpoll
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY client client
COPY server server
COPY shared shared
COPY templates templates
# What the server needs, by hash; then the project itself, which fetches nothing.
RUN sed '/^# \[dev\]/,$d' constraints.txt > server.txt \
    && /opt/hushpoll/bin/pip install --no-cache-dir --require-hashes --no-deps --requirement server.txt \
    && /opt/hushpoll/bin/pip install --no-cache-dir --no-index --no-build-isolation ".[server]"

FROM python:3.11-slim
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/hushpoll --shell /usr/sbin/nologin hushpoll \
    && install --directory --mode 0700 --owner hushpoll --group hushpoll /var/lib/hushpoll
COPY --from=build /opt/hushpoll /opt/hushpoll
ENV PATH=/opt/hushpoll/bin:$PATH \
    HUSHPOLL_HOME=/var/lib/hushpoll \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME /var/lib/hushpoll
EXPOSE 8000
# It hears SIGTERM itself and stops its workers within five seconds: no init is needed.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
# It needs HUSHPOLL_PUBLIC_URL with https, because other machines can reach it.
CMD ["hushpoll", "serve", "--host", "0.0.0.0", "--port", "8000"]
