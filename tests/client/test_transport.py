"""The default transport on real sockets, against servers that do not behave."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from socketserver import StreamRequestHandler

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.client.servers import Collector, read_request, serving, talking

from hushpoll_client import Response, ServerUnreachable, UrllibTransport, transport

pytestmark = pytest.mark.loopback

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def send(url: str, *, body: bytes | None = b"{}", timeout: float = 5, largest: int = 100) -> Response:
    method = "GET" if body is None else "POST"
    return UrllibTransport().send(method, url, headers={"X-Test": "1"}, body=body, timeout=timeout, largest=largest)


def saying(answer: bytes) -> Callable[[StreamRequestHandler], None]:
    def say(handler: StreamRequestHandler) -> None:
        read_request(handler)
        handler.wfile.write(answer)

    return say


@pytest.fixture(autouse=True)
def certificates_are_read_anew() -> None:
    transport._tls.cache_clear()


@pytest.fixture(autouse=True)
def no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_an_answer_comes_back_whatever_its_status() -> None:
    for status in (200, 201, 302, 404, 429, 503):
        with talking(saying(b"HTTP/1.1 %d X\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nhi" % status)) as url:
            response = send(url)
        assert (response.status, response.body, response.headers["retry-after"]) == (status, b"hi", "7")


def test_a_request_says_nothing_about_the_device() -> None:
    requests = []

    def say(handler: StreamRequestHandler) -> None:
        requests.append(read_request(handler))
        handler.wfile.write(GOOD)

    with talking(say) as url:
        send(url + "/path")
    host = url.removeprefix("http://").encode()
    head, body = requests[0].split(b"\r\n\r\n")
    line, *headers = head.split(b"\r\n")
    assert line == b"POST /path HTTP/1.1"
    assert sorted(header.lower() for header in headers if not header.lower().startswith(b"content-type")) == [
        b"accept-encoding: identity",
        b"connection: close",
        b"content-length: 2",
        b"host: " + host,
        b"user-agent: hushpoll",
        b"x-test: 1",
    ]
    assert body == b"{}"


def test_no_redirect_is_followed() -> None:
    elsewhere = Collector({})
    with serving(elsewhere) as target:
        answer = f"HTTP/1.1 307 X\r\nLocation: {target}/\r\nContent-Length: 0\r\n\r\n".encode()
        with talking(saying(answer)) as url:
            assert send(url).status == 307
    assert elsewhere.seen == []


def test_no_cookie_is_kept() -> None:
    requests = []

    def say(handler: StreamRequestHandler) -> None:
        requests.append(read_request(handler))
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n")

    same = UrllibTransport()
    with talking(say) as url:
        for _ in range(2):
            same.send("GET", url, headers={}, body=None, timeout=5, largest=10)
    assert len(requests) == 2
    assert b"cookie" not in requests[1].lower()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + b"x" * 101,
        b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200_000,
        b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
    ],
    ids=lambda answer: str(answer[:45]),
)
def test_an_answer_that_is_broken_or_too_long_is_no_answer(answer: bytes) -> None:
    with talking(saying(answer)) as url, pytest.raises(ServerUnreachable, match="try again later"):
        send(url)


def test_an_answer_may_be_as_long_as_was_allowed() -> None:
    with talking(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 100)) as url:
        assert len(send(url).body) == 100


def test_compressed_bytes_are_not_unpacked() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"
    with talking(saying(answer)) as url:
        assert send(url).body == b"\x1f\x8b\x08\x00"


def test_a_server_that_says_nothing_is_left_after_the_timeout() -> None:
    def say(handler: StreamRequestHandler) -> None:
        handler.rfile.read()

    start = time.monotonic()
    with talking(say) as url, pytest.raises(ServerUnreachable, match="timed out"):
        send(url, timeout=0.3)
    assert time.monotonic() - start < 5


def test_a_server_that_sends_drop_by_drop_is_left_after_the_timeout() -> None:
    def say(handler: StreamRequestHandler) -> None:
        read_request(handler)
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(100):
            handler.wfile.write(b"x")
            time.sleep(0.1)

    start = time.monotonic()
    with talking(say) as url, pytest.raises(ServerUnreachable, match="takes too long"):
        send(url, timeout=0.4)
    assert time.monotonic() - start < 5


def test_nobody_at_the_address_is_said_plainly() -> None:
    with talking(saying(GOOD)) as url:
        pass
    with pytest.raises(ServerUnreachable, match="refused"):
        send(url)


def test_plain_http_never_goes_to_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Collector({})
    with serving(proxy) as address, talking(saying(GOOD)) as url:
        monkeypatch.setenv("http_proxy", address)
        assert send(url).body == b"hi"
    assert proxy.seen == []


def test_a_proxy_sees_a_sealed_tunnel_only(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = []

    def say(handler: StreamRequestHandler) -> None:
        heard.append(read_request(handler))
        handler.wfile.write(b"HTTP/1.1 403 No\r\n\r\n")

    with talking(say) as proxy, pytest.raises(ServerUnreachable):
        monkeypatch.setenv("https_proxy", proxy)
        send("https://polls.example.org/", body=b"the report")
    assert heard[0].startswith(b"CONNECT polls.example.org:443 ")
    assert b"the report" not in heard[0]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Make a certificate for this machine that nobody has signed."""
    key, name = Ed25519PrivateKey.generate(), x509.Name([])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, None)
    )
    file = tmp_path / "certificate.pem"
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(pem + made.public_bytes(Encoding.PEM))
    return file


@pytest.fixture
def sealed(certificate: Path) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with talking(saying(GOOD), tls=context) as url:
        yield url


def test_a_certificate_that_nobody_signed_is_refused(sealed: str) -> None:
    with pytest.raises(ServerUnreachable, match="certificate verify failed"):
        send(sealed)


def test_an_app_that_switched_the_checking_off_elsewhere_does_not_switch_it_off_here(
    sealed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssl, "_create_default_https_context", ssl._create_unverified_context)
    with pytest.raises(ServerUnreachable, match="certificate verify failed"):
        send(sealed)


def test_a_certificate_that_the_machine_trusts_is_accepted(
    sealed: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert send(sealed).body == b"hi"
