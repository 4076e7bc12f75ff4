/**
 * True when the text may speak of a lock: a cheap test that decides whether a file is analysed at all.
 * `extraNames` are lock functions and wrappers that the settings name.
 */
export function mentionsLock(text: string, extraNames: readonly string[] = []): boolean {
  return /advisory|get_lock|release_(?:all_)?locks?|is_(?:free|used)_lock/i.test(text) || extraNames.some((name) => text.includes(name));
}
