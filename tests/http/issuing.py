"""An issuer of access tokens on this machine: real keys, which it can exchange, and silence."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

AUDIENCE = "https://hansard.example/mcp"
READ_WRITE = "hansard:read hansard:write"


@dataclass
class SigningKey:
    kid: str
    private: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )

    def jwk(self) -> dict[str, Any]:
        public: dict[str, Any] = RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return public | {"kid": self.kid, "use": "sig", "alg": "RS256"}

    def pem(self) -> bytes:
        return self.private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )


@dataclass
class Provider:
    """What it publishes, and how often it was asked."""

    address: str = ""
    keys: list[SigningKey] = field(default_factory=lambda: [SigningKey("one")])
    extra_keys: list[dict[str, Any]] = field(default_factory=list)
    is_away: bool = False
    fetches: int = 0

    def token(self, *, key: SigningKey | None = None, drop: str = "", **claims: Any) -> str:
        """Sign a token that lets in, save for what is given otherwise."""
        signing = key or self.keys[0]
        headers = {"kid": signing.kid, "typ": "at+jwt"} | claims.pop("headers", {})
        said = self.claims() | claims
        said.pop(drop, None)
        return jwt.encode(said, signing.private, "RS256", headers=headers)

    def claims(self) -> dict[str, Any]:
        now = int(time.time())
        return {
            "iss": self.address, "aud": AUDIENCE, "sub": "u-1", "iat": now, "exp": now + 3600,
            "preferred_username": "maria", "groups": ["team"], "scope": READ_WRITE,
        }  # fmt: skip

    def answer(self, path: str) -> dict[str, Any] | None:
        if self.is_away:
            return None
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.address, "jwks_uri": f"{self.address}/keys"}
        self.fetches += 1
        return {"keys": [*(key.jwk() for key in self.keys), *self.extra_keys]}


@contextmanager
def issuing() -> Iterator[Provider]:
    """Publish keys on loopback until the block ends."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = provider.answer(self.path)
            body = json.dumps(answer).encode()
            self.send_response(200 if answer else 500)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
