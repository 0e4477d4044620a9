import { attempt } from "../../command";

/** Tells systemd that the service is up, which `systemctl start` waits for. */
export async function notifyReady(): Promise<void> {
  const socket = process.env.NOTIFY_SOCKET;
  if (socket === undefined) return;
  await attempt(["systemd-notify", "--ready"], { env: { ...process.env } });
}
