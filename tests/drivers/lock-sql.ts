/** The names by which an analysis starts; the examples of drivers must hold one. */
export const isLockSql = (text: string): boolean => /advisory|get_lock|release_lock|is_free_lock/i.test(text);
