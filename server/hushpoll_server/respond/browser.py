"""The headers of a common browser, in its order: a comparison must look like a respondent.

Taken from Chromium 153; a test compares them with what the real one sends. Nothing else is imitated: the TLS handshake,
the version of HTTP and the address are not those of a browser.
"""

from __future__ import annotations

VERSION = 153
_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
_AGENT += f"Chrome/{VERSION}.0.0.0 Safari/537.36"
_BRANDS = f'"Google Chrome";v="{VERSION}", "Not_A Brand";v="8", "Chromium";v="{VERSION}"'
_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
_PAGE += "application/signed-exchange;v=b3;q=0.7"
_LANGUAGE = {"Accept-Encoding": "gzip, deflate, br, zstd", "Accept-Language": "en-US,en;q=0.9"}

Headers = dict[str, str]


def headers_for(origin: str, path: str) -> Headers:
    """Return the headers that a browser sends for a path: a page, a frame in another page, or a part of the form."""
    if path.endswith("/worker.js"):
        return {**_head(origin), **_worker()}
    if path.endswith(".js"):
        return {**_head(origin), "Origin": origin, **_part("*/*", mode="cors", destination="script")}
    if path.endswith(".css"):
        return {**_head(origin), **_part("text/css,*/*;q=0.1", mode="no-cors", destination="style")}
    return {**_head(origin), **_page(framed=path.endswith("/embed"))}


def _head(origin: str) -> Headers:
    return {"Host": origin.partition("://")[2], "Connection": "keep-alive"}


def _page(*, framed: bool) -> Headers:
    brands = {"sec-ch-ua": _BRANDS, "sec-ch-ua-mobile": "?0", "sec-ch-ua-platform": '"Windows"'}
    about = {**brands, "Upgrade-Insecure-Requests": "1", "User-Agent": _AGENT, "Accept": _PAGE}
    if framed:
        fetch = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        fetch["Sec-Fetch-Storage-Access"] = "active"
    else:
        fetch = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-User": "?1"}
        fetch["Sec-Fetch-Dest"] = "document"
    return {**about, **fetch, **_LANGUAGE}


def _worker() -> Headers:
    about = {"Cache-Control": "max-age=0", "Accept": "*/*", "Service-Worker": "script"}
    fetch = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "same-origin", "Sec-Fetch-Dest": "serviceworker"}
    return {**about, **fetch, "User-Agent": _AGENT, **_LANGUAGE}


def _part(accept: str, *, mode: str, destination: str) -> Headers:
    about = {"sec-ch-ua-platform": '"Windows"', "User-Agent": _AGENT, "sec-ch-ua": _BRANDS, "sec-ch-ua-mobile": "?0"}
    fetch = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination}
    return {**about, "Accept": accept, **fetch, **_LANGUAGE}
