/**
 * The budgets of the service: how large a thing may be, so that everything that can be written can also be read, changed,
 * sent and deleted. Sizes are bytes of UTF-8 (kB are thousands). What would break one is refused with 413 or 422 before the
 * database is asked; what exists is shown in part (a total and a link to the rest), never cut silently.
 */
export const budgets = {
  /** A row's own document in one language: 422 beyond. */
  rowDocument: 512_000,
  /** An item as it is answered, in one language: a client may send it back whole, and bodies end at 1 MiB. */
  item: 900_000,
  /** An answer of any kind. A page ends early; with `page`, 413 names the `itemsPerPage` that fits. */
  answer: 10_000_000,
  /** One event or one webhook payload: beyond, what it embeds becomes a total and a link. */
  event: 2_000_000,
  /** A response header that repeats input. */
  echoedHeader: 2_000,
  /** Violations of one answer; their number is always told. */
  violations: 100,
  /** What one batch sends to the database. Neon takes 64 MB, its open-source proxy 10 MiB. */
  databaseRequest: 10_000_000,
} as const
