/** The number of the user that owns etcd's files under the CIS profile: the same on every machine that a volume comes to. */
export const ETCD_USER_ID = 52034;

/** `cis_prerequisites` makes what RKE2 wants to find before it starts with the CIS profile: a user and kernel settings. */
export const CIS_PREREQUISITES = `
cis_prerequisites() {
  if ! getent group etcd >/dev/null; then groupadd --system --gid ${ETCD_USER_ID} etcd; fi
  if ! getent passwd etcd >/dev/null; then
    useradd --system --uid ${ETCD_USER_ID} --gid etcd --comment "etcd user" --shell /sbin/nologin --no-create-home etcd
  fi
  if [ "$(id --user etcd)" != ${ETCD_USER_ID} ]; then
    refuse "the user etcd has the number $(id --user etcd) here instead of ${ETCD_USER_ID}: files on the state volume would belong to somebody else after the next replacement. Choose an image without an etcd user."
  fi
  printf 'vm.panic_on_oom=0\\nvm.overcommit_memory=1\\nkernel.panic=10\\nkernel.panic_on_oops=1\\n' >/etc/sysctl.d/60-rke2-cis.conf
  sysctl --quiet --load=/etc/sysctl.d/60-rke2-cis.conf
}
`;
