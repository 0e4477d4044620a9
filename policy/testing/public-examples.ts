import { type Example, UNKNOWN } from "./cases";

/** A program that nobody here wrote, and what the policies are to say of it. */
export interface PublicExample {
  /** Its folder in github.com/pulumi/examples, as it was in 2026; what it declares, in our own words. */
  readonly name: string;
  readonly resources: readonly Example[];
  /** The policies that would stop it in production. */
  readonly stopped: readonly string[];
}

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const SERVICE = "kubernetes:core/v1:Service";
const SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup";
const INSTANCE = "aws:ec2/instance:Instance";
const eu = { $provider: { region: "eu-central-1" } };

const open = (port: number): object => ({
  protocol: "tcp",
  fromPort: port,
  toPort: port,
  cidrBlocks: ["0.0.0.0/0"],
});
const deployment = (name: string, container: object, spec: object = {}, pod: object = {}): Example => ({
  $type: DEPLOYMENT,
  $name: name,
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: `${name}-1a2b3c4d`, annotations: { "pulumi.com/autonamed": "true" } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container], ...pod } },
    ...spec,
  },
});
const service = (name: string, type: string): Example => ({
  $type: SERVICE,
  $name: name,
  metadata: { name },
  spec: { type, ports: [{ port: 80 }], selector: { app: name } },
});

/** What any pod that says nothing of security is stopped by. */
const PLAIN_POD = [
  "kubernetes-image-digest",
  "kubernetes-image-registry",
  "kubernetes-namespace-not-default",
  "kubernetes-pod-drops-capabilities",
  "kubernetes-pod-no-escalation",
  "kubernetes-pod-own-service-account",
  "kubernetes-pod-read-only-root",
  "kubernetes-pod-runs-as-non-root",
  "kubernetes-pod-seccomp",
];

/** Public programs, rewritten from their facts. */
export const PUBLIC_EXAMPLES: readonly PublicExample[] = [
  {
    name: "aws-ts-webserver",
    resources: [
      { ...eu, $type: SECURITY_GROUP, $name: "web-secgrp", ingress: [open(80)] },
      {
        ...eu,
        $type: INSTANCE,
        $name: "web-server-www",
        tags: { Name: "web-server-www" },
        instanceType: "t2.micro",
        vpcSecurityGroupIds: [UNKNOWN],
        ami: "ami-0abcdef",
        userData: '#!/bin/bash\necho "Hello, World!" > index.html\n',
      },
    ],
    stopped: [
      "aws-ec2-block-devices-encrypted",
      "aws-ec2-instance-role",
      "aws-ec2-metadata-v2",
      "product-placement-instance-types",
      "product-tags-required",
    ],
  },
  {
    name: "aws-ts-ec2-provisioners",
    resources: [
      { ...eu, $type: SECURITY_GROUP, $name: "secgrp", description: "Foo", ingress: [open(22), open(80)] },
      { ...eu, $type: "aws:ec2/keyPair:KeyPair", $name: "key", publicKey: UNKNOWN },
      { ...eu, $type: INSTANCE, $name: "server", instanceType: "t2.micro", ami: UNKNOWN, keyName: UNKNOWN },
      {
        $type: "command:remote:CopyToRemote",
        $name: "config",
        connection: { host: UNKNOWN, user: "ec2-user" },
      },
      { $type: "command:remote:Command", $name: "cat-config", create: "cat myapp.conf" },
    ],
    stopped: [
      "aws-ec2-block-devices-encrypted",
      "aws-ec2-instance-role",
      "aws-ec2-metadata-v2",
      "aws-ec2-ssh-not-open",
      "product-placement-instance-types",
      "product-tags-required",
    ],
  },
  {
    name: "aws-ts-ansible-wordpress",
    resources: [
      { ...eu, $type: "aws:ec2/vpc:Vpc", $name: "prod-vpc", cidrBlock: "10.192.0.0/16", id: UNKNOWN },
      {
        ...eu,
        $type: "aws:ec2/subnet:Subnet",
        $name: "public",
        vpcId: UNKNOWN,
        mapPublicIpOnLaunch: true,
        $from: { vpcId: ["prod-vpc"] },
      },
      { ...eu, $type: "aws:ec2/internetGateway:InternetGateway", $name: "igw", vpcId: UNKNOWN },
      {
        ...eu,
        $type: "aws:ec2/routeTable:RouteTable",
        $name: "rt",
        routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: UNKNOWN }],
        $from: { routes: ["igw"] },
      },
      {
        ...eu,
        $type: "aws:ec2/routeTableAssociation:RouteTableAssociation",
        $name: "rta",
        $from: { subnetId: ["public"], routeTableId: ["rt"] },
      },
      {
        ...eu,
        $type: SECURITY_GROUP,
        $name: "allow",
        ingress: [open(443), open(80), open(22)],
        egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
      },
      {
        ...eu,
        $type: "aws:rds/instance:Instance",
        $name: "wordpressdb",
        password: "not-ours-to-see",
        engine: "mysql",
      },
      {
        ...eu,
        $type: INSTANCE,
        $name: "web",
        instanceType: "t3.small",
        ami: UNKNOWN,
        subnetId: UNKNOWN,
        $from: { subnetId: ["public"] },
      },
    ],
    stopped: [
      "aws-ec2-block-devices-encrypted",
      "aws-ec2-instance-role",
      "aws-ec2-metadata-v2",
      "aws-ec2-nodes-in-private-subnets",
      "aws-ec2-ssh-not-open",
      "aws-ec2-subnet-no-public-address",
      "aws-ec2-vpc-flow-logs",
      "product-tags-required",
    ],
  },
  {
    name: "aws-ts-resources",
    resources: [
      {
        ...eu,
        $type: "aws:cloudwatch/dashboard:Dashboard",
        $name: "mydashboard",
        dashboardName: "my-dashboard",
      },
      { ...eu, $type: "aws:sns/topic:Topic", $name: "myloginstopic" },
      {
        ...eu,
        $type: "aws:dynamodb/table:Table",
        $name: "mytable",
        attributes: [{ name: "Id", type: "S" }],
        hashKey: "Id",
      },
      { ...eu, $type: "aws:ec2/eip:Eip", $name: "myeip" },
      { ...eu, $type: SECURITY_GROUP, $name: "mysecuritygroup", ingress: [open(80)] },
      { ...eu, $type: "aws:ec2/vpc:Vpc", $name: "myvpc", cidrBlock: "10.0.0.0/16", id: UNKNOWN },
      { ...eu, $type: "aws:ecr/repository:Repository", $name: "myrepository" },
      {
        ...eu,
        $type: "aws:ecr/repositoryPolicy:RepositoryPolicy",
        $name: "myrepositorypolicy",
        policy: "{}",
      },
    ],
    stopped: [
      "aws-ec2-vpc-flow-logs",
      "aws-ecr-encrypted",
      "aws-ecr-immutable-tags",
      "aws-ecr-scan-on-push",
      "product-tags-required",
    ],
  },
  {
    name: "aws-ts-eks",
    resources: [
      {
        ...eu,
        $type: "aws:eks/cluster:Cluster",
        $name: "cluster-eksCluster",
        accessConfig: { authenticationMode: "API" },
        roleArn: UNKNOWN,
        vpcConfig: {
          endpointPrivateAccess: false,
          endpointPublicAccess: true,
          subnetIds: UNKNOWN,
          securityGroupIds: [UNKNOWN],
        },
      },
      {
        ...eu,
        $type: "aws:ec2/launchTemplate:LaunchTemplate",
        $name: "cluster-launchTemplate",
        instanceType: "t3.medium",
        userData: UNKNOWN,
        metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 2 },
      },
      {
        ...eu,
        $type: "aws:autoscaling/group:Group",
        $name: "cluster-asg",
        minSize: 1,
        maxSize: 2,
        launchTemplate: { id: UNKNOWN },
        vpcZoneIdentifiers: UNKNOWN,
        $from: { launchTemplate: ["cluster-launchTemplate"] },
      },
    ],
    stopped: [
      "aws-ec2-metadata-hops",
      "aws-eks-endpoint-private",
      "aws-eks-logs",
      "aws-eks-secrets-encrypted",
      "product-tags-required",
    ],
  },
  {
    name: "aws-ts-hello-fargate",
    resources: [
      {
        ...eu,
        $type: "aws:lb/loadBalancer:LoadBalancer",
        $name: "net-lb",
        loadBalancerType: "application",
        internal: false,
        subnets: UNKNOWN,
      },
      {
        ...eu,
        $type: "aws:lb/listener:Listener",
        $name: "web",
        port: 80,
        protocol: "HTTP",
        defaultActions: [{ type: "forward", targetGroupArn: UNKNOWN }],
      },
      { ...eu, $type: "aws:ecr/repository:Repository", $name: "repo", forceDelete: true },
      { ...eu, $type: "aws:ecs/service:Service", $name: "app-svc", desiredCount: 5 },
    ],
    stopped: [
      "aws-ecr-encrypted",
      "aws-ecr-immutable-tags",
      "aws-ecr-scan-on-push",
      "aws-lb-access-logs",
      "aws-lb-deletion-protection",
      "aws-lb-tls-listener",
      "product-tags-required",
    ],
  },
  {
    name: "aws-ts-eks-migrate-nodegroups (the ingress controller's rights)",
    resources: [
      { $type: "kubernetes:core/v1:ServiceAccount", $name: "nginx", metadata: { namespace: UNKNOWN } },
      {
        $type: "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
        $name: "nginx",
        rules: [
          {
            apiGroups: [""],
            resources: ["configmaps", "endpoints", "nodes", "pods", "secrets"],
            verbs: ["list", "watch"],
          },
          { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
        ],
      },
      {
        $type: "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding",
        $name: "nginx",
        subjects: [{ kind: "ServiceAccount", name: UNKNOWN, namespace: UNKNOWN }],
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: UNKNOWN },
      },
      { $type: "kubernetes:policy/v1beta1:PodDisruptionBudget", $name: "nginx", spec: { minAvailable: 2 } },
    ],
    stopped: ["kubernetes-rbac-no-secret-listing", "kubernetes-service-account-no-automount"],
  },
  {
    name: "kubernetes-ts-nginx",
    resources: [
      deployment(
        "nginx-deployment",
        { name: "nginx", image: "nginx:1.7.9", ports: [{ containerPort: 80 }] },
        { replicas: 2 },
      ),
    ],
    stopped: PLAIN_POD,
  },
  {
    name: "kubernetes-ts-guestbook",
    resources: [
      deployment("redis-leader", {
        name: "redis-leader",
        image: "redis",
        resources: { requests: { cpu: "100m", memory: "100Mi" } },
      }),
      service("redis-leader", "ClusterIP"),
      deployment("redis-replica", {
        name: "replica",
        image: "pulumi/guestbook-redis-replica",
        env: [{ name: "GET_HOSTS_FROM", value: "dns" }],
      }),
      deployment("frontend", { name: "frontend", image: "pulumi/guestbook-php-redis" }, { replicas: 3 }),
      service("frontend", "LoadBalancer"),
    ],
    stopped: PLAIN_POD,
  },
  {
    name: "kubernetes-ts-configmap-rollout",
    resources: [
      {
        $type: "kubernetes:core/v1:ConfigMap",
        $name: "nginx",
        metadata: { labels: { app: "nginx" } },
        data: { "default.conf": "server {}" },
      },
      deployment(
        "nginx",
        {
          name: "nginx",
          image: "nginx:1.13.6-alpine",
          volumeMounts: [{ name: "nginx-configs", mountPath: "/etc/nginx/conf.d" }],
        },
        { replicas: 1 },
        { volumes: [{ name: "nginx-configs", configMap: { name: UNKNOWN } }] },
      ),
      service("nginx", "LoadBalancer"),
    ],
    stopped: PLAIN_POD,
  },
];
