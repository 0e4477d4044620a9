/** Type tokens of the resources that the AWS policies evaluate. */
export const INSTANCE = "aws:ec2/instance:Instance";
export const LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate";
export const VOLUME = "aws:ebs/volume:Volume";
export const SUBNET = "aws:ec2/subnet:Subnet";
export const VPC = "aws:ec2/vpc:Vpc";
export const SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup";
export const SECURITY_GROUP_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule";
export const INGRESS_RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
export const EGRESS_RULE = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";
export const AUTO_SCALING_GROUP = "aws:autoscaling/group:Group";
export const EKS_CLUSTER = "aws:eks/cluster:Cluster";
export const NODE_GROUP = "aws:eks/nodeGroup:NodeGroup";
/** The module has two names in the provider. */
export const LOAD_BALANCERS = ["aws:lb/loadBalancer:LoadBalancer", "aws:alb/loadBalancer:LoadBalancer"];
export const LISTENERS = ["aws:lb/listener:Listener", "aws:alb/listener:Listener"];
export const IAM_POLICIES = [
  "aws:iam/policy:Policy",
  "aws:iam/rolePolicy:RolePolicy",
  "aws:iam/userPolicy:UserPolicy",
  "aws:iam/groupPolicy:GroupPolicy",
];
