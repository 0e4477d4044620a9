"""Volumes: a detachment need not say where the volume is attached."""

from moto.ec2.models import elastic_block_store


def _from_where_it_is(detach):
    def detach_volume(self, volume_id, instance_id=None, device_path=None):
        attachment = self.get_volume(volume_id).attachment
        if attachment is not None:
            instance_id = instance_id or attachment.instance.id
            device_path = device_path or attachment.device
        return detach(self, volume_id, instance_id, device_path)

    return detach_volume


def apply():
    """Puts the correction into moto's class."""
    backend = elastic_block_store.EBSBackend
    backend.detach_volume = _from_where_it_is(backend.detach_volume)
