import { largestBatch } from '../db/client.ts'

/**
 * The size limits of the service. They ensure that all stored data can also be read, changed, sent and deleted. Sizes
 * are bytes of UTF-8 (kB are thousands).
 * A request beyond a limit gets 413 or 422 before the database is queried. Existing data beyond a limit is shown
 * partly, as a total and a link to the rest, and never cut silently.
 */
export const byteLimits = {
  /** A request body: 413 beyond. */
  body: 1024 * 1024,
  /** An uploaded picture: 413 beyond. */
  picture: 20_000_000,
  /** The file of a bulk operation: 413 beyond. */
  bulkOperation: 50_000_000,
  /** One batch to the database: 413 beyond. */
  batch: largestBatch,
  /** A row's own document in one language: 422 beyond. */
  rowDocument: 512_000,
  /** The translations of a row in all its languages: 422 beyond. */
  rowTranslations: 850_000,
  /** An item in a response, in one language. A client may send it back whole, and bodies are limited to 1 MiB. */
  item: 900_000,
  /** Any response. A page ends early; with `page`, 413 names the `itemsPerPage` that fits. */
  answer: 10_000_000,
  /** One event or one webhook payload: beyond, embedded resources become a total and a link. */
  event: 2_000_000,
  /** A response header that repeats input. */
  echoedHeader: 2_000,
  /** Violations in one response; their total is always included. */
  violations: 100,
  /** Embedded resources of one independent type, categories or metaobjects: beyond, IRIs instead. */
  embedded: 64_000,
  /** The categories of a product that each of its variants or offers embeds again: beyond, IRIs instead. */
  embeddedAgain: 24_000,
  /** The categories in all languages that an event of a product, a variant or an offer stores: beyond, IRIs instead. */
  embeddedInEvent: 256_000,
  /** The option values of a product, on an item and in a list: beyond, their number and a link. */
  optionValues: { item: 150_000, list: 64_000 },
  /**
   * The variants of a product in a list. An item uses its remaining bytes, but at least this. Beyond, their number and
   * a link.
   */
  variantsInList: 200_000,
  /** The document of a metaobject definition, which is read with each of its metaobjects. */
  definition: 64_000,
  /** The number of metaobjects that one resource refers to. */
  references: 250,
  /** Options and values of one product in all languages. Each write of one of its variants reads all of them. */
  options: 2_000_000,
  /** The rules of all collections of a tenant, and the number of collections with rules. */
  rules: { bytes: 1_000_000, collections: 250 },
  /** The number of children of a category: embedded or listed, and on its own item. Beyond, their number and a link. */
  children: { list: 250, item: 10_000 },
  /** Stored bytes of the rows read for one page, and of product rows, which include their parts. */
  read: 8_000_000,
  readProducts: 6_000_000,
  /** The recorded price terms of reduced variants: per page of products, and per complete product in a list and as an item. */
  priorTerms: { list: 2_000_000, product: 50_000, item: 400_000 },
  /** Stored bytes of the categories read for embedding, for one response. */
  readCategories: 1_000_000,
} as const
