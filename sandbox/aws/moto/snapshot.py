"""Keeps what moto knows in one file, so that a sandbox that was killed comes back with the same ids and states.

All backends go into one pickle, because they point at each other (an auto scaling group holds the very instance
objects of EC2). What pickle cannot take by itself is named here, one reducer each.
"""

import copyreg
import io
import marshal
import os
import pickle
import platform
import threading
import types
from collections import defaultdict

import moto
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from moto.backends import get_backend
from moto.core.base_backend import BackendDict
from moto.iam.models import AWSManagedPolicy, IAMBackend

SERVICES = (
    "autoscaling",
    "ec2",
    "eks",
    "elbv2",
    "iam",
    "kms",
    "logs",
    "route53",
    "s3",
    "ssm",
    "sts",
)

# A pickle holds the insides of moto's classes and Python's byte code: another version cannot be trusted to read it.
FORMAT = f"moto {moto.__version__}, python {platform.python_version()}"

LOCKS = {type(threading.Lock()): threading.Lock, type(threading.RLock()): threading.RLock}
PRIVATE_KEYS = (rsa.RSAPrivateKey, ec.EllipticCurvePrivateKey, ed25519.Ed25519PrivateKey)

# AWS's own policies are 20 MB of constants: of them only the number of attachments is state.
_managed_policies = {}


def _managed_policies_of(partition, account):
    if partition not in _managed_policies:
        policies = IAMBackend(partition, account_id=account).aws_managed_policies
        _managed_policies[partition] = {policy.arn: policy for policy in policies}
    return _managed_policies[partition]


def _managed_policy(partition, account, arn, attachments):
    policy = _managed_policies_of(partition, account)[arn]
    policy.attachment_count = attachments
    return policy


def _iam_state(backend):
    own = {arn: policy for arn, policy in backend.managed_policies.items() if type(policy) is not AWSManagedPolicy}
    return {**backend.__dict__, "aws_managed_policies": None, "managed_policies": own}


def _restore_iam(backend, state):
    policies = _managed_policies_of(state["region_name"], state["account_id"])
    backend.__dict__.update(state)
    backend.aws_managed_policies = list(policies.values())
    backend.managed_policies = {**policies, **state["managed_policies"]}


def _backend_dict(service):
    return get_backend(service)


def _restore_mapping(mapping, state):
    mapping.default_factory, fields = state
    mapping.__dict__.update(fields)


def _private_key(pem):
    return serialization.load_pem_private_key(pem, password=None)


def _function(code, module, name, defaults, cells):
    scope = __import__(module, fromlist=["*"]).__dict__
    closure = tuple(types.CellType(cell) for cell in cells) if cells is not None else None
    return types.FunctionType(marshal.loads(code), scope, name, defaults, closure)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        kind = type(value)
        if kind in LOCKS:
            return LOCKS[kind], ()
        if isinstance(value, BackendDict):
            return _backend_dict, (value.service_name,)
        if kind is AWSManagedPolicy:
            return _managed_policy, (value.partition, value.account_id, value.arn, value.attachment_count)
        if kind is IAMBackend:
            return copyreg.__newobj__, (IAMBackend,), _iam_state(value), None, None, _restore_iam
        if isinstance(value, defaultdict) and kind is not defaultdict:
            # pickle would call the subclass with the factory, which is not what its constructor takes.
            state = (value.default_factory, value.__dict__)
            return copyreg.__newobj__, (kind,), state, None, iter(value.items()), _restore_mapping
        if isinstance(value, PRIVATE_KEYS):
            pem = value.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            return _private_key, (pem,)
        if kind is types.FunctionType and "<locals>" in value.__qualname__:
            cells = None if value.__closure__ is None else [cell.cell_contents for cell in value.__closure__]
            code = marshal.dumps(value.__code__)
            return _function, (code, value.__module__, value.__name__, value.__defaults__, cells)
        return NotImplemented


def dump():
    """Everything moto knows, as bytes. No request may run meanwhile."""
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=5).dump(FORMAT)
    _Pickler(buffer, protocol=5).dump({service: dict(get_backend(service)) for service in SERVICES})
    return buffer.getvalue()


def load(path):
    """Brings back what a snapshot holds; nothing where there is none."""
    try:
        file = open(path, "rb")
    except FileNotFoundError:
        return
    with file:
        found = pickle.load(file)
        if found != FORMAT:
            raise SystemExit(
                f"The AWS state in {path} was written by {found}, this is {FORMAT}. "
                "Destroy the stacks with the old version, or remove the file to begin with an empty account."
            )
        state = pickle.load(file)
    for service, accounts in state.items():
        backends = get_backend(service)
        backends.clear()
        for account, regions in accounts.items():
            backends[account] = regions
        if backends and backends not in BackendDict._instances:
            BackendDict._instances.append(backends)
    _managed_policies.clear()


def write(path, data):
    """Replaces the snapshot: after a power cut there is the old one or the new one, whole."""
    draft = f"{path}.new"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, path)
