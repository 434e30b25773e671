/** Whether somebody can see this now: its middle is inside the window and nothing lies over it. What is not seen takes no keys. */
export function isOnScreen(element: Element | null | undefined): boolean {
  if (!element) return false;
  const { left, top, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return false;
  const over = document.elementFromPoint(left + width / 2, top + height / 2);
  return over !== null && (element.contains(over) || over.contains(element));
}
