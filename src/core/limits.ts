import { largestBatch } from '../db/client.ts'

/**
 * The budgets of the service: how large a thing may be, so that everything that can be written can also be read, changed,
 * sent and deleted. Sizes are bytes of UTF-8 (kB are thousands). What would break one is refused with 413 or 422 before the
 * database is asked; what exists is shown in part (a total and a link to the rest), never cut silently.
 */
export const byteLimits = {
  /** A request body: 413 beyond. */
  body: 1024 * 1024,
  /** An uploaded picture: 413 beyond. */
  picture: 20_000_000,
  /** What is sent to the database at once: 413 beyond. */
  batch: largestBatch,
  /** A row's own document in one language: 422 beyond. */
  rowDocument: 512_000,
  /** The texts of a row in all its languages: 422 beyond. */
  rowTranslations: 850_000,
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
  /** What a document embeds of one kind that stands for itself, categories or metaobjects: beyond, IRIs in their place. */
  embedded: 64_000,
  /** The categories of a product where each of its variants or offers shows them again: beyond, IRIs in their place. */
  embeddedAgain: 24_000,
  /** The categories that an event of a product, a variant or an offer keeps, in all languages: beyond, IRIs in their place. */
  embeddedInEvent: 256_000,
  /** The option values of a product, on an item and in a list: beyond, their number and a link. */
  optionValues: { item: 150_000, list: 64_000 },
  /** The variants of a product in a list, and in any case what is left of an item: beyond, their number and a link. */
  variantsInList: 200_000,
  /** The document of a metaobject definition, which is read with every metaobject of it. */
  definition: 64_000,
  /** The metaobjects that one resource refers to, by number. */
  references: 250,
  /** Options with their values of one product, in all languages: they are read whole whenever one of its variants is written. */
  options: 2_000_000,
  /** The rules of all of a tenant's collections, and how many collections have rules. */
  rules: { bytes: 1_000_000, collections: 250 },
  /** Children of a category, by number: where it is embedded or listed, and on its own item. Beyond, their number and a link. */
  children: { list: 250, item: 10_000 },
  /** What is stored of the rows that are read for one page, and of those of products, which come with what they own. */
  read: 8_000_000,
  readProducts: 6_000_000,
  /** The recorded terms of reduced variants: with the products of one page, and with one that is told whole, in a list and as an item. */
  priorTerms: { list: 2_000_000, product: 50_000, item: 400_000 },
  /** What is stored of the categories that are read to be embedded, for one answer. */
  readCategories: 1_000_000,
} as const
