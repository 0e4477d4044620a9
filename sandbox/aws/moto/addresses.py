"""Public addresses that packets can be sent to. moto's elastic ones are of the loopback range, which never leaves a machine."""

import ipaddress
import random

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends, elastic_ip_addresses, elastic_network_interfaces

# Reserved for documentation. The stand-in of the outside (machines/routing.ts) has another such range.
PUBLIC_RANGE = ipaddress.ip_network("198.51.100.0/24")


def _taken():
    for account in list(ec2_backends.values()):
        for backend in list(account.values()):
            yield from (address.public_ip for address in backend.addresses)
            yield from (interface.public_ip for interface in backend.enis.values())


def free_public_address():
    """Any that nobody has: as on AWS, who gives one back does not get the same again."""
    taken = set(_taken())
    free = [address for address in map(str, PUBLIC_RANGE.hosts()) if address not in taken]
    if not free:
        raise EC2ClientError("InsufficientAddressCapacity", "Insufficient capacity of public addresses.")
    return random.choice(free)


def apply():
    """Puts the corrections into moto's modules."""
    elastic_ip_addresses.random_ip = free_public_address
    elastic_network_interfaces.random_public_ip = free_public_address
