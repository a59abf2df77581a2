"""A certificate authority for one test run, and the kubeconfig files that carry what it issues."""

from __future__ import annotations

import base64
import datetime
import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_VALID_FOR = datetime.timedelta(days=7)
_CLOCKS_DIFFER_BY = datetime.timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its private key, as PEM."""

    certificate: bytes
    key: bytes

    def write(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Writes NAME.crt and NAME.key, the key for its owner alone."""
        certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
        certificate.write_bytes(self.certificate)
        key.touch(mode=0o600)
        key.write_bytes(self.key)
        return certificate, key


class Authority:
    """Signs for servers on loopback and for users; Kubernetes reads the user's name from CN and
    the groups from O."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fullcrew-tests")])
        request = _request(self._name, self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self._certificate = request.sign(self._key, hashes.SHA256())
        self.certificate = self._certificate.public_bytes(serialization.Encoding.PEM)

    def for_server(self, names: Sequence[str]) -> Issued:
        """For a server that is reached at 127.0.0.1 and under these names."""
        loopback = x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))
        alternatives = [loopback, *(x509.DNSName(name) for name in names)]
        return self._issue(
            [x509.NameAttribute(NameOID.COMMON_NAME, names[0])],
            x509.SubjectAlternativeName(alternatives),
            ExtendedKeyUsageOID.SERVER_AUTH,
        )

    def for_user(self, user: str, groups: Sequence[str] = ()) -> Issued:
        """For a client that the API server shall take for this user."""
        organizations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in groups]
        return self._issue(
            [x509.NameAttribute(NameOID.COMMON_NAME, user), *organizations],
            x509.SubjectAlternativeName([x509.DNSName("client")]),
            ExtendedKeyUsageOID.CLIENT_AUTH,
        )

    def _issue(
        self,
        subject: list[x509.NameAttribute[str]],
        alternatives: x509.SubjectAlternativeName,
        usage: x509.ObjectIdentifier,
    ) -> Issued:
        key = ec.generate_private_key(ec.SECP256R1())
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        certificate = (
            _request(x509.Name(subject), self._name, key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(alternatives, critical=False)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(authority, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return Issued(certificate.public_bytes(serialization.Encoding.PEM), private_pem(key))


def signing_key() -> tuple[bytes, bytes]:
    """The private and the public key, as PEM, that ServiceAccount tokens are signed with."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private_pem(key), public


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The key as the unencrypted PEM that Kubernetes reads."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def with_certificate(issued: Issued) -> dict[str, str]:
    """The `user` of a kubeconfig who shows a client certificate."""
    return {
        "client-certificate-data": _encoded(issued.certificate),
        "client-key-data": _encoded(issued.key),
    }


def write_kubeconfig(path: Path, *, server: str, authority: bytes, user: Mapping[str, str]) -> Path:
    """One cluster, one user, one context."""
    cluster = {"server": server, "certificate-authority-data": _encoded(authority)}
    context = {"cluster": "real", "user": "tester"}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "real", "cluster": cluster}],
        "users": [{"name": "tester", "user": dict(user)}],
        "contexts": [{"name": "real", "context": context}],
        "current-context": "real",
    }
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def _request(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS_DIFFER_BY)
        .not_valid_after(now + _VALID_FOR)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _encoded(pem: bytes) -> str:
    return base64.b64encode(pem).decode()
