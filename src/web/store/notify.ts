/** Whether the system may be asked to tell: only if the human has switched it on here and the browser allows it. Kept in this browser. */
import { createKept, plainText } from "./persisted-state.ts";

const wish = createKept("agiraph.notify", plainText);

export type NotificationStatus = "on" | "off" | "denied" | "missing";

export function notificationStatus(): NotificationStatus {
  if (typeof Notification === "undefined") return "missing";
  if (Notification.permission === "denied") return "denied";
  return wish.read() === "on" && Notification.permission === "granted" ? "on" : "off";
}

/** Asks for the permission only when it is switched on, and says how it stands then. */
export async function setNotifications(on: boolean): Promise<NotificationStatus> {
  if (!on) wish.write(undefined);
  else if (typeof Notification !== "undefined" && (await Notification.requestPermission()) === "granted")
    wish.write("on");
  return notificationStatus();
}
