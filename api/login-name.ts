// Rules for login names on nodes. Not a kind: the kind User validates with them, and the agent and the components check
// with them too, without loading the schemas.

/** The source of a regular expression for login names that every distribution accepts. */
export const LOGIN_NAME = "[a-z][a-z0-9-]{0,30}";

/** The source of a regular expression for full names as /etc/passwd can hold them. */
export const FULL_NAME = "[^\\x00-\\x1f\\x7f:,=]+";

/** Login names that belong to the system on common distributions. */
export const RESERVED_LOGINS = [
  ...[
    "root",
    "daemon",
    "bin",
    "sys",
    "sync",
    "games",
    "man",
    "lp",
    "mail",
    "news",
    "uucp",
    "proxy",
    "backup",
  ],
  ...["list", "irc", "gnats", "nobody", "operator", "shutdown", "halt", "adm", "ftp", "sshd", "messagebus"],
  ...["systemd-network", "systemd-resolve", "systemd-timesync", "systemd-journal", "systemd-oom", "dbus"],
  ...[
    "polkitd",
    "chrony",
    "tss",
    "rpc",
    "postfix",
    "ntp",
    "etcd",
    "kube",
    "containerd",
    "docker",
    "rke",
    "rke2",
  ],
  ...["www-data", "sudo", "wheel", "admin", "ubuntu", "debian", "ec2-user", "core", "fleetwright"],
];
