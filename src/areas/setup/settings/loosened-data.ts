import type { DataSettings } from '#libs/settings/settings.model.js';

/** Whether data is deleted sooner than before, or leaves the platform without a second person. */
export function isLooser(after: DataSettings, before: DataSettings): boolean {
  return after.trashDays < before.trashDays || (before.exportNeedsApproval && !after.exportNeedsApproval);
}
