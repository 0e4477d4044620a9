import type { HostKey } from "../rke/user-data";
import { yaml } from "../yaml";

/** The user of a bastion. It has no shell: all that it can do is to forward connections. */
export const BASTION_USER = "fw-tunnel";

const SSHD = `AllowUsers ${BASTION_USER}
AuthenticationMethods publickey
PermitRootLogin no
MaxAuthTries 3
LoginGraceTime 20
ClientAliveInterval 30
ClientAliveCountMax 4
AllowAgentForwarding no
AllowStreamLocalForwarding no
AllowTcpForwarding local
X11Forwarding no
PermitTTY no
PermitTunnel no
PermitUserRC no
PermitUserEnvironment no
`;

/**
 * User data of a bastion: one user without shell and rights, who may forward connections to these ports and nothing else,
 * and the key by which the machine is known (see `serverUserData` on why that is in it).
 */
export function bastionUserData(publicKey: string, hostKey: HostKey, ports: readonly number[]): string {
  const opens = ports.map((port) => `permitopen="*:${port}"`).join(",");
  return `#cloud-config\n${yaml({
    users: [
      {
        name: BASTION_USER,
        shell: "/usr/sbin/nologin",
        lock_passwd: true,
        ssh_authorized_keys: [`restrict,port-forwarding,${opens} ${publicKey.trim()}`],
      },
    ],
    disable_root: true,
    ssh_pwauth: false,
    ssh_deletekeys: true,
    ssh_keys: {
      ed25519_private: `${hostKey.privateKey.trim()}\n`,
      ed25519_public: hostKey.publicKey.trim(),
    },
    write_files: [{ path: "/etc/ssh/sshd_config.d/10-bastion.conf", permissions: "0644", content: SSHD }],
    runcmd: [["systemctl", "try-reload-or-restart", "ssh"]],
  })}`;
}
