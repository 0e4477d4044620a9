/** The source of a regular expression for login names that every distribution takes. */
export const LOGIN_NAME = "[a-z][a-z0-9-]{0,30}";

/** The source of a regular expression for names that may stand in the password file. */
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
