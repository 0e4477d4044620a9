"""How instances come into being, where moto leaves out what AWS does: root volumes, templates, spreading over zones."""

from moto.autoscaling import models as autoscaling
from moto.ec2.exceptions import MissingParameterError
from moto.ec2.models import instances, launch_templates
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.utils import parse_user_data

import groups
import timing

# What a launch template gives that moto does not take over by itself: the template's name of it and moto's.
TEMPLATE_FIELDS = (("BlockDeviceMappings", "block_device_mappings"), ("MetadataOptions", "metadata_options"))


ROOT_GIB = 8


def _root_volume(self):
    volume = self.ec2_backend.create_volume(size=ROOT_GIB, zone_name=self._placement.zone, volume_type="gp3")
    self.ec2_backend.attach_volume(volume.id, self.id, self.root_device_name, True)


def _whole_launch(run):
    def run_instances(self, image_id, count, user_data, security_group_names, **kwargs):
        profile = None
        template = kwargs.get("launch_template")
        if template:
            data = self._get_template_from_args(template).data
            image_id = image_id or data.get("ImageId")
            for field, name in TEMPLATE_FIELDS:
                if not kwargs.get(name) and data.get(field):
                    kwargs[name] = data[field]
            if not kwargs.get("iam_instance_profile_name") and not kwargs.get("iam_instance_profile_arn"):
                profile = data.get("IamInstanceProfile")
        root = next((image.root_device_name for image in self.describe_images(ami_ids=[image_id])), None)
        for mapping in kwargs.get("block_device_mappings") or []:
            # A volume that is made for an instance goes with it unless the caller says otherwise.
            disk = mapping.get("Ebs", {})
            disk.setdefault("DeleteOnTermination", True)
            # The root volume is as large as its image where the caller does not say otherwise.
            if not disk.get("VolumeSize") and not disk.get("SnapshotId") and mapping.get("NoDevice") is None:
                if mapping.get("DeviceName") != root:
                    raise MissingParameterError("size or snapshotId")
                disk["VolumeSize"] = ROOT_GIB
        reservation = run(self, image_id, count, user_data, security_group_names, **kwargs)
        for instance in reservation.instances:
            if instance.root_device_name not in instance.block_device_mapping:
                instance.setup_defaults()
            if profile:
                self.associate_iam_instance_profile(
                    instance_id=instance.id,
                    iam_instance_profile_name=profile.get("Name"),
                    iam_instance_profile_arn=profile.get("Arn"),
                )
        return reservation

    return run_instances


def _sizes_later(validate):
    """moto looks for a size before it knows which device is the root; the launch itself looks again."""

    def validate_mapping(mapping):
        disk = mapping.get("Ebs")
        validate({**mapping, "Ebs": {"VolumeSize": ROOT_GIB, **disk}} if disk is not None else mapping)

    return staticmethod(validate_mapping)


def _spread_over_subnets(self, count_needed, propagated_tags):
    """Each new instance goes to the subnet that has the fewest of the group, with the group's version of the template."""
    tags = {**propagated_tags, autoscaling.ASG_NAME_TAG: self.name, **self.instance_tags}
    subnets = self.vpc_zone_identifier.split(",") if self.vpc_zone_identifier else [None]
    template = self.ec2_launch_template
    for _ in range(count_needed):
        living = [state.instance.subnet_id for state in self.instance_states]
        reservation = self.autoscaling_backend.ec2_backend.run_instances(
            self.image_id,
            1,
            self.user_data,
            self.security_groups,
            instance_type=self.instance_type,
            tags={"instance": tags},
            placement=None if subnets[0] else self.availability_zones[len(living) % len(self.availability_zones)],
            launch_config=self.launch_config,
            launch_template=template
            and {"LaunchTemplateId": template.id, "Version": self.launch_template_version or "$Default"},
            is_instance_type_default=False,
            associate_public_ip=self.launch_config.associate_public_ip_address if self.launch_config else None,
            subnet_id=min(subnets, key=living.count),
        )
        instance = reservation.instances[0]
        instance.autoscaling_group = self
        protected = self.new_instances_protected_from_scale_in
        state = autoscaling.InstanceState(instance, protected_from_scale_in=protected)
        self.instance_states.append(state)
        groups.enter(self, state)


def _targets_in_time(update):
    """A group registers its instances when they run; moto does it at once, when they are still pending."""

    def update_attached_target_groups(self, group_name):
        delay = timing.delays["instance"]
        timing.delays["instance"] = 0.0
        try:
            update(self, group_name)
        finally:
            timing.delays["instance"] = delay

    return update_attached_target_groups


def _user_data_in_every_version(create):
    """moto reads the user data of a template's first version only, and fails when a group starts a machine of another."""

    def create_version(self, data, description):
        if isinstance(data.get("UserData"), str):
            data = {**data, "UserData": parse_user_data(data["UserData"])}
        return create(self, data, description)

    return create_version


def apply():
    """Puts the corrections into moto's classes."""
    instances.Instance.setup_defaults = _root_volume
    instances.InstanceBackend.run_instances = _whole_launch(instances.InstanceBackend.run_instances)
    InstanceResponse._validate_block_device_mapping = _sizes_later(InstanceResponse._validate_block_device_mapping)
    template = launch_templates.LaunchTemplate
    template.create_version = _user_data_in_every_version(template.create_version)
    backend = autoscaling.AutoScalingBackend
    backend.update_attached_target_groups = _targets_in_time(backend.update_attached_target_groups)
    autoscaling.FakeAutoScalingGroup.replace_autoscaling_group_instances = _spread_over_subnets
