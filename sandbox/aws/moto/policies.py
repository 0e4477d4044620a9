"""AWS's own policies: 20 MB of JSON that moto reads once for every partition of AWS, of which the sandbox has one."""

from moto.iam.models import IAMBackend


def _only_in(partition, read):
    def _init_aws_policies(self):
        return read(self) if self.region_name == partition else []

    return _init_aws_policies


def apply(partition):
    """Puts the correction into moto's class."""
    IAMBackend._init_aws_policies = _only_in(partition, IAMBackend._init_aws_policies)
