import type { AnyPgTable } from 'drizzle-orm/pg-core'
import type { Tenant } from '../../../core/context.ts'
import type { Value } from '../../../core/document.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Locale } from '../../../core/locale.ts'
import type { Violation } from '../../../core/problem.ts'
import type { Shape } from '../../../core/property.ts'
import type { State } from '../../../core/state.ts'
import type { Stamps } from '../../../core/write.ts'
import type { Statement } from '../../../db/client.ts'
import type { Translations } from '../../../db/columns.ts'
import type { ProductParts } from '../index.ts'

/** The row of something that a product owns. Plain JSON. */
export type OwnedParts = {
  readonly id: string
  readonly document: string
  readonly translations: Translations | null
  /** In the tenant's default locale. */
  readonly title: string | null
  readonly position: number
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** In which locales documents are stored. */
export type InLocales = { readonly tenant: Pick<Tenant, 'locales'> }

/** What is written of something that a product owns. */
export type OwnedBody = {
  readonly title?: string | null
  readonly externalId?: string | null
  readonly position?: number | null
}

type NameProblem<Name extends string> = {
  at(path: string, values: Readonly<Record<Name, string>>): Violation
}

/** A kind of thing that a product owns: called by a title that no sibling has, in a place among its siblings. */
export type Owned<Parts extends OwnedParts> = {
  /** The kind of its events, and the name of its table. */
  readonly kind: 'product_options' | 'option_values'
  /** `product_option` of `product_option/created`. */
  readonly topic: string
  readonly shape: Shape
  readonly table: AnyPgTable
  readonly problems: {
    readonly not_found: (values: { id: string }) => Error
    readonly in_use: () => Error
    readonly title_taken: NameProblem<'title'>
    readonly external_id_taken: NameProblem<'externalId'>
  }
  readonly iri: (id: string) => string
  /** Finds one in its product, with its siblings, of which it is one. */
  readonly find: (product: ProductParts, id: string) => Family<Parts> | null
  /** All of them in a product. */
  readonly all: (product: ProductParts) => readonly Parts[]
  /** The id of what it has its place in. */
  readonly owner: (parts: Parts) => string
  /** The same with another state, and maybe another position. */
  readonly parts: (context: InLocales, identity: Parts, state: State) => Parts
  readonly insert: (productId: string, parts: Parts, externalId: string | null) => Statement[]
  readonly update: (productId: string, parts: Parts, externalId: string | null) => Statement[]
  /** What the audit trail compares beside the state and the position. */
  readonly shown: (parts: Parts) => JsonObject
  /** What an event keeps of it. */
  readonly kept: (parts: Parts) => Parts
  readonly stamped: (parts: Parts, stamps: Stamps) => Parts
  readonly document: (parts: Parts, locale: Locale) => Value
}

/** One of them, and its siblings, of which it is one. */
export type Family<Parts> = { readonly own: Parts; readonly siblings: readonly Parts[] }
