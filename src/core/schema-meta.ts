import type * as z from 'zod'
import type { Json } from './json.ts'
import type { Violation } from './problem.ts'
import type { Demand, Shape } from './property.ts'

/** The keywords of JSON Schema that metadata may add or put right. */
export type Keyword =
  | 'type'
  | 'format'
  | 'pattern'
  | 'enum'
  | 'minimum'
  | 'maximum'
  | 'default'
  | 'examples'
  | 'description'

/** What the metadata of a schema says. */
type SchemaMeta = { readonly [Name in Keyword]?: Json } & {
  /** What sending a parameter takes beyond the operation's own scope. */
  readonly demand?: Demand
  /** The schema of what documents show in place of what is written: `shownAs`. */
  readonly shown?: z.ZodType
  /** The `@type` of the resource that documents embed. */
  readonly resource?: string
  /** The shape by which values are read. */
  readonly shape?: Shape
  /** How many members a record may have. */
  readonly most?: number
  /** The value is checked and then ignored. */
  readonly passedOver?: boolean
  /** The read-only members of an object. */
  readonly alsoKnown?: readonly string[]
  /** The paths that `expand` takes. */
  readonly choices?: readonly string[]
  /** The parameters beside which this one is required, and the violation where it is absent. */
  readonly neededBy?: readonly string[]
  readonly missing?: Violation
  /** True of a parameter without which nothing is answered. */
  readonly mandatory?: true
  /** The collection whose items an IRI names. */
  readonly leadsTo?: string
}

/** The metadata of a schema. */
export function metaOf(schema: z.ZodType): SchemaMeta {
  // Declared as members of zod's GlobalMeta they would be mapped recursively (`$replace`), which `Shape` is too deep for.
  return (schema.meta() ?? {}) as SchemaMeta
}
