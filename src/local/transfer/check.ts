/**
 * Checks the rows of a file before the first of them is written: their columns, their documents, and how they fit together. The
 * database would find some of this itself, but not a document that no reader can parse, and not the line that it is in.
 */
import * as z from 'zod'
import { parseInstant } from '../../core/instant.ts'
import { itemIri } from '../../core/iri.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import { localePattern } from '../../core/locale.ts'
import { sameJson } from '../../core/patch.ts'
import type { Shape } from '../../core/schema.ts'
import { bytesOf } from '../../core/sizes.ts'
import { JsonError, parseJson } from '../../core/strict-json.ts'
import { kinds } from '../../resources/events/topics.ts'
import { storedCustomField } from '../../resources/fields/custom-fields.ts'
import { storedDefinition } from '../../resources/metaobjects/definitions/document.ts'
import { fieldValues } from '../../resources/metaobjects/document.ts'
import { combinationOf } from '../../resources/variants/combination.ts'
import { webhookSubscription } from '../../resources/webhooks/subscriptions/schema.ts'
import type { MovedRow } from './file.ts'
import { type Column, type Columns, columnFaults, type MovedKind, movedKinds } from './tables.ts'

type Row = MovedRow['row']

/** How the rows of a kind fit together with others of the file. */
type Fit = {
  /** Columns that name a row of another kind; each kind comes after those that it names. */
  readonly refers?: Readonly<Record<string, string>>
  /** Columns that no two rows have in common, among the rows that count. */
  readonly unique: readonly { readonly columns: readonly string[]; readonly counts?: (row: Row) => boolean }[]
}

const isShown = ({ status }: Row) => status !== 'ARCHIVED'
const isInShownProduct = ({ product_archived: isArchived }: Row) => isArchived !== true
const isSold = (row: Row) => row.status === 'ACTIVE' && isInShownProduct(row)
const externalId = { columns: ['external_id'] }
const offer: Fit = {
  refers: { product_id: 'products', variant_id: 'variants' },
  unique: [{ ...externalId, counts: isShown }],
}

const fits: Readonly<Record<string, Fit>> = {
  metaobject_definitions: { unique: [{ columns: ['type'] }, externalId] },
  metaobjects: {
    refers: { definition_id: 'metaobject_definitions' },
    unique: [{ columns: ['definition_id', 'handle'] }, externalId],
  },
  categories: {
    refers: { parent_id: 'categories' },
    unique: [{ columns: ['handle'] }, externalId, { columns: ['parent_id', 'position'] }],
  },
  collections: { unique: [{ columns: ['handle'] }, externalId] },
  products: {
    unique: [
      { columns: ['handle'], counts: isShown },
      { ...externalId, counts: isShown },
    ],
  },
  product_options: {
    refers: { product_id: 'products' },
    unique: [
      { columns: ['product_id', 'title'] },
      { columns: ['product_id', 'position'] },
      { ...externalId, counts: isInShownProduct },
    ],
  },
  option_values: {
    refers: { product_id: 'products', option_id: 'product_options' },
    unique: [
      { columns: ['option_id', 'title'] },
      { columns: ['option_id', 'position'] },
      { ...externalId, counts: isInShownProduct },
    ],
  },
  variants: {
    refers: { product_id: 'products' },
    unique: [
      { columns: ['product_id', 'position'] },
      { columns: ['product_id', 'combination'], counts: ({ status }) => status === 'ACTIVE' },
      { columns: ['sku'], counts: isSold },
      { ...externalId, counts: isSold },
    ],
  },
  campaigns: { unique: [externalId] },
  sale_offers: { ...offer, refers: { ...offer.refers, campaign_id: 'campaigns' } },
  purchase_offers: offer,
  markets: { unique: [{ columns: ['key'] }] },
  search_synonyms: { unique: [{ columns: ['locale'] }] },
  webhook_subscriptions: { unique: [] },
}

/** The schemas of stored members that neither the shape nor `translationFaults()` checks. */
const customFields = z.object({ document: z.object({ fields: z.array(storedCustomField).optional() }) })
const storedSchemas: Readonly<Record<string, z.ZodType>> = {
  metaobject_definitions: z.object({ document: storedDefinition }),
  metaobjects: z.object({ fields: fieldValues.fields }),
}

/** The shape of a kind's documents. */
const shapeOf = (kind: string): Shape | undefined =>
  kind === 'webhook_subscriptions' ? webhookSubscription : kinds[kind]?.shape

/** Members of a document in which a column is repeated under another name. */
const renamed: Readonly<Record<string, string>> = { payload_version: 'version' }
/** Columns that a commit stamps: the document does not repeat them. */
const stamped = ['version', 'created_at', 'updated_at']

const memberOf = (column: string) =>
  renamed[column] ?? column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Finds faults in the rows of a file, which it is given kind by kind, categories by their level. */
export class Check {
  readonly #columns: Columns
  readonly #locale: string
  /** Whether the file has a row: its kind, its id. */
  readonly #has: (kind: string, id: string) => boolean
  readonly #seen = new Map<string, number>()
  readonly #products = new Map<string, { readonly isArchived: boolean }>()
  /** The product of each option, value and variant. */
  readonly #owners = new Map<string, Json>()
  readonly #levels = new Map<string, Json>()

  /** `locale` is the first of the file's tenant, in which documents are stored. */
  constructor(columns: Columns, locale: string, has: (kind: string, id: string) => boolean) {
    this.#columns = columns
    this.#locale = locale
    this.#has = has
  }

  /** Lists the faults of a row. */
  faultsOf(line: MovedRow, lineNumber: number): string[] {
    const { kind: name, id, row } = line
    const kind = movedKinds.find((each) => each.name === name)
    const shape = shapeOf(name)
    if (!kind || !shape) return [`${name} is no kind of an export`]
    const columns = this.#columns.get(name) ?? []
    const faults = [...columnFaults(name, row, columns), ...this.#besideColumns(line, kind)]
    if (row.id !== id) faults.push(`${name}.id differs from the line's id`)
    // The other checks compare values of the right types.
    if (faults.length > 0) return faults
    const document = documentIn(row.document)
    if (typeof document === 'string') return [`${name}.document ${document}`]
    return [
      ...documentFaults(name, shape, document, row),
      ...agreementFaults(name, columns, document, row),
      ...translationFaults(name, shape, document, row, this.#locale),
      ...storedFaults(name, document, row),
      ...this.#besideFaults(line, document),
      ...this.#fitFaults(line, lineNumber),
    ]
  }

  #besideColumns({ id, beside, kind }: MovedRow, { beside: tables }: MovedKind): string[] {
    const unknown = Object.keys(beside).filter((table) => !Object.hasOwn(tables, table))
    return [
      ...unknown.map((table) => `${kind} has rows of ${table}, which do not belong there`),
      ...Object.entries(tables).flatMap(([table, owner]) => {
        const rows = beside[table]
        if (rows === undefined) return [`${kind} lacks its rows of ${table}`]
        const columns = this.#columns.get(table) ?? []
        return rows.flatMap((row) => [
          ...columnFaults(table, row, columns),
          ...(row[owner] === id ? [] : [`${table}.${owner} is not the id of the row`]),
        ])
      }),
    ]
  }

  #besideFaults({ beside, row, kind }: MovedRow, document: JsonObject): string[] {
    const faults: string[] = []
    const demandSame = (table: string, column: string, expected: unknown) => {
      const rows = (beside[table] ?? []).map((each) => String(each[column]))
      if (!isSameSet(rows, expected)) faults.push(`${kind} and its rows of ${table} differ`)
    }
    if (kind === 'products') {
      demandSame('product_tags', 'tag', document.tags)
      if (isShown(row)) demandSame('product_channels', 'channel', document.channels)
      for (const [table, column, target] of [
        ['product_categories', 'category_id', 'categories'],
        ['product_collections', 'collection_id', 'collections'],
      ] as const) {
        const ids = (beside[table] ?? []).map((each) => String(each[column]))
        if (new Set(ids).size < ids.length) faults.push(`${table} has a row twice`)
        for (const id of ids)
          if (!this.#has(target, id)) faults.push(`${table}.${column} names ${id}, which the file lacks`)
      }
    }
    if (kind === 'variants') {
      const values = row.option_value_ids
      if (row.combination !== combinationOf(Array.isArray(values) ? values.map(String) : []))
        faults.push('variants.combination differs from variants.option_value_ids')
      if (row.status === 'ACTIVE') demandSame('variant_option_values', 'option_value_id', values)
      for (const each of beside.variant_option_values ?? []) {
        const value = String(each.option_value_id)
        if (this.#owners.get(value) !== row.product_id)
          faults.push(`variant_option_values.option_value_id ${value} is no value of the product`)
      }
    }
    return faults
  }

  #fitFaults({ kind, id, row }: MovedRow, lineNumber: number): string[] {
    const { refers = {}, unique = [] } = fits[kind] ?? {}
    const faults: string[] = []
    for (const [column, target] of Object.entries(refers)) {
      const value = row[column]
      if (typeof value !== 'string') continue
      if (!this.#has(target, value)) faults.push(`${kind}.${column} names ${value}, which the file lacks`)
      else if (this.#owners.has(value) && this.#owners.get(value) !== row.product_id)
        faults.push(`${kind}.${column} is of another product`)
    }
    for (const { columns, counts = () => true } of unique) {
      if (row[columns.at(-1) ?? ''] === null || !counts(row)) continue
      const key = JSON.stringify([kind, columns, columns.map((name) => row[name])])
      const earlier = this.#seen.get(key)
      if (earlier === undefined) this.#seen.set(key, lineNumber)
      else faults.push(`${kind}.${columns.join(' and ')} is the same as in line ${earlier}`)
    }
    if (kind === 'products') this.#products.set(id, { isArchived: row.status === 'ARCHIVED' })
    if (typeof row.product_id === 'string') {
      this.#owners.set(id, row.product_id)
      const product = this.#products.get(row.product_id)
      if ('product_archived' in row && product && row.product_archived !== product.isArchived)
        faults.push(`${kind}.product_archived differs from the status of the product`)
    }
    if (kind === 'categories') {
      const above = row.parent_id === null ? -1 : this.#levels.get(String(row.parent_id))
      if (row.level !== Number(above ?? Number.NaN) + 1)
        faults.push('categories.level is not one more than that of the parent')
      this.#levels.set(id, row.level ?? null)
    }
    return faults
  }
}

/** A stored document, or in words what is wrong with it. */
function documentIn(text: unknown): JsonObject | string {
  if (typeof text !== 'string') return 'is not text'
  if (bytesOf(text) > byteLimits.rowDocument) return `has more than ${byteLimits.rowDocument} bytes`
  try {
    const document = parseJson(text)
    return isJsonObject(document) ? document : 'is no JSON object'
  } catch (error) {
    if (error instanceof JsonError) return 'is not JSON'
    throw error
  }
}

function documentFaults(kind: string, shape: Shape, document: JsonObject, row: Row): string[] {
  const stored = Object.entries(shape.properties).filter(([, property]) => property.stored)
  const owner = typeof row.product_id === 'string' ? row.product_id : null
  const identity = {
    '@id': itemIri(shape.collection, String(row.id), owner),
    '@type': shape.type,
    id: row.id ?? null,
  }
  const names = new Set([...Object.keys(identity), 'fallbacks', ...stored.map(([name]) => name)])
  return [
    ...Object.keys(document).flatMap((name) =>
      names.has(name) ? [] : [`${kind}.document.${name} is no property`],
    ),
    ...Object.entries(identity).flatMap(([name, value]) =>
      document[name] === value ? [] : [`${kind}.document.${name} is not ${value}`],
    ),
    ...stored.flatMap(([name, property]) => {
      const value = member(document, name)
      // Rows from before a property was added show its default.
      if (value === undefined) return property.required ? [`${kind}.document.${name} is missing`] : []
      if (value === null)
        return property.required || property.defaultValue !== null ? [`${kind}.document.${name} is null`] : []
      const { success, error } = property.schema.safeParse(value)
      if (success) return []
      const [issue] = error.issues
      const place = [name, ...(issue?.path ?? [])].map(String).join('.')
      return [`${kind}.document.${place} is not valid: ${issue?.message}`]
    }),
  ]
}

/** Columns repeat members of the document, by which rows are found: both must say the same. */
function agreementFaults(kind: string, columns: readonly Column[], document: JsonObject, row: Row): string[] {
  return columns.flatMap(({ name, type }) => {
    if (stamped.includes(name)) return []
    const value = row[name] ?? null
    const link = name.endsWith('_id') ? member(document, memberOf(name.slice(0, -3))) : undefined
    const isLinked = typeof link !== 'string' || link.endsWith(`/${value}`)
    const shown = member(document, memberOf(name))
    const isSame = shown === undefined || sameJson(comparable(value, type), comparable(shown, type))
    return isLinked && isSame ? [] : [`${kind}.${name} differs from the document`]
  })
}

const comparable = (value: Json, type: string): Json =>
  type === 'timestamp with time zone' && typeof value === 'string' ? parseInstant(value) : value

/** Texts by locale: the document shows those of the default locale. */
function translationFaults(
  kind: string,
  shape: Shape,
  document: JsonObject,
  row: Row,
  locale: string,
): string[] {
  const { translations } = row
  if (translations === undefined) return []
  if (!isJsonObject(translations)) return [`${kind}.translations is no object`]
  const isTranslatable = (name: string) => shape.properties[name]?.translatable === true
  const isFree = !Object.keys(shape.properties).some(isTranslatable)
  return Object.entries(translations).flatMap(([spoken, texts]) => {
    const place = `${kind}.translations.${spoken}`
    if (!localePattern.test(spoken)) return [`${place} is no locale`]
    if (!isJsonObject(texts)) return [`${place} is no object`]
    return Object.entries(texts).flatMap(([name, text]) => {
      if (isFree) return typeof text === 'string' ? [] : [`${place}.${name} is no text`]
      if (!isTranslatable(name)) return [`${place}.${name} is no translatable property`]
      if (!shape.properties[name]?.schema.safeParse(text).success) return [`${place}.${name} is not valid`]
      const isSame = spoken !== locale || sameJson(text, member(document, name) ?? null)
      return isSame ? [] : [`${place}.${name} differs from the document`]
    })
  })
}

/** Values that documents do not repeat, and members that a request body may omit but a stored document may not. */
function storedFaults(kind: string, document: JsonObject, row: Row): string[] {
  const { success, error } = (storedSchemas[kind] ?? customFields).safeParse({ ...row, document })
  if (success) return []
  return error.issues.map(
    ({ path, message }) => `${[kind, ...path].map(String).join('.')} is not valid: ${message}`,
  )
}

function isSameSet(values: readonly string[], expected: unknown): boolean {
  if (!Array.isArray(expected)) return false
  const set = new Set(expected)
  return (
    values.length === set.size && new Set(values).size === set.size && values.every((each) => set.has(each))
  )
}
