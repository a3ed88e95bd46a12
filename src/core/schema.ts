import * as z from 'zod'
import type { Json } from './json.ts'
import type { Violation } from './problem.ts'
import type { Scope } from './scopes.ts'

/** What a parameter, or a member of a body, takes when it is there. */
export type RequiredScopes = {
  /** The scopes for a value as it was sent, which may be anything. */
  readonly scopes: (value: Json) => readonly Scope[]
  /** The same for the documentation: `sale_offers:read`. */
  readonly described: string
}

/** One property of a resource, from which validation, merge, rendering, translation and documentation are derived. */
export type Property = {
  /** What a written value must be, or what a read one is. Null is never part of it: null clears. */
  readonly schema: z.ZodType
  readonly writable: 'always' | 'create' | 'never'
  readonly required: boolean
  readonly translatable: boolean
  /** The value when absent on create or cleared by null. */
  readonly standard: Json
  /** Makes the value that is stored of the one before and a written one, where that is not the written one itself. */
  readonly merge: Merge | null
  /** What a value that its schema takes has wrong all the same, where the schema's own words cannot say it; `at` places it in the body. */
  readonly judge: Judge | null
  /** True when the row's stored document holds it; false when it is spliced in from other rows or columns. */
  readonly stored: boolean
  /** True when what it shows follows from other members, or from the room that they leave: these are read with it. */
  readonly restsOnOthers: boolean
  /** The `@type` of the objects that it holds, when it holds objects of a resource; `anyType` where they may be of each. */
  readonly of: string | null
  /** A link to a resource rather than a literal, for JSON-LD. */
  readonly link: boolean
  /** The `@type` that a link leads to, where `of` does not tell; `anyType` where it may lead to each. */
  readonly to: string | null
  /** The scope without which it is left out. */
  readonly visibleWith: Scope | null
  /** What writing it takes beyond the operation's own scope. */
  readonly demand?: RequiredScopes
  /** What its value is, for whoever reads it. */
  readonly description: string
  /** What writing it does, for whoever writes it: documented of bodies, beside the description. */
  readonly writing: string | null
  /** True when no document shows it: what was written is read elsewhere. */
  readonly writeOnly: boolean
  /** A value as the documentation shows it; where there is none, one is made from the schema. */
  readonly example?: Json
}

/** Methods, so that those of a property may take what its own schema gives. */
type Merge = { of(before: Json, written: Json): Json }['of']
type Judge = { of(written: Json, at: (path: string) => string): readonly Violation[] }['of']

/** Gives a schema of what is written the schema of what documents show in its place, where the two differ. */
export function shownAs<Schema extends z.ZodType>(schema: Schema, shown: z.ZodType): Schema {
  return schema.meta({ ...schema.meta(), shown })
}

/** Any JSON in validation, an object of a resource in what is documented. */
export function embeds(type: string): z.ZodType {
  return z.unknown().meta({ resource: type })
}

/** Stands for every `@type`. */
export const anyType = '*'

type Options = Partial<Omit<Property, 'schema' | 'writable' | 'description'>>

const plain = {
  required: false,
  translatable: false,
  restsOnOthers: false,
  standard: null,
  of: null,
  link: false,
  to: null,
  visibleWith: null,
  merge: null,
  judge: null,
  writing: null,
  writeOnly: false,
}

/** A property as it was declared: the type of its values, and what of it other types follow from. */
type Declared<Schema extends z.ZodType, Writable extends Property['writable'], Given, Stored> = Omit<
  Property,
  'schema' | 'writable' | 'required' | 'translatable' | 'stored' | 'standard' | 'merge'
> & {
  readonly schema: Schema
  readonly writable: Writable
  readonly required: Given extends { readonly required: infer Is extends boolean } ? Is : false
  readonly translatable: Given extends { readonly translatable: infer Is extends boolean } ? Is : false
  readonly stored: Given extends { readonly stored: infer Is extends boolean } ? Is : Stored
  readonly standard: Given extends { readonly standard: infer Standard extends Json } ? Standard : null
  readonly merge: Given extends { readonly merge: infer Own extends Merge } ? Own : null
}

/** A property that may be written at any time. */
export function writable<Schema extends z.ZodType, const Given extends Options>(
  schema: Schema,
  description: string,
  options?: Given,
) {
  return declared(schema, 'always', description, true, options)
}

/** A property that is written on create and read-only afterwards. */
export function createOnly<Schema extends z.ZodType, const Given extends Options>(
  schema: Schema,
  description: string,
  options?: Given,
) {
  return declared(schema, 'create', description, true, options)
}

/** A property that the service derives; ignored on write. */
export function readOnly<Schema extends z.ZodType, const Given extends Options>(
  schema: Schema,
  description: string,
  options?: Given,
) {
  return declared(schema, 'never', description, false, options)
}

function declared<
  Schema extends z.ZodType,
  Writable extends Property['writable'],
  Stored extends boolean,
  Given extends Options,
>(schema: Schema, writable: Writable, description: string, stored: Stored, options: Given | undefined) {
  const property: Property = { ...plain, schema, description, writable, stored, ...options }
  // The compiler does not follow what `options` replaces.
  return property as Declared<Schema, Writable, Given, Stored>
}

/** Whether a body of a create or of a merge patch may write a property. */
export function isWritable(property: Property, mode: 'create' | 'patch'): boolean {
  return property.writable === 'always' || (property.writable === 'create' && mode === 'create')
}

/** What a property is and what writing it does, in one text. */
export function fullDescription({ description, writing }: Property): string {
  return writing === null ? description : `${description} ${writing}`
}

/** A resource's type name and its properties, in the order in which a document shows them. */
export type Shape = {
  /** The `@type`. */
  readonly type: string
  /** What such a thing is: for whoever reads the documentation. */
  readonly description: string
  /** `/api/products`; its items are `{collection}/{id}` unless the resource is nested. */
  readonly collection: string
  /** The scope without which nothing of it is shown at any door; null where any valid token will do. */
  readonly readWith: Scope | null
  /** The status in which only those with another scope see that there is one. */
  readonly draft?: { readonly status: string; readonly visibleWith: Scope }
  /** True where an item carries its JSON-LD context itself rather than the IRI of it. */
  readonly inlineContext?: boolean
  readonly properties: Readonly<Record<string, Property>>
  /**
   * What written values have wrong with each other. Only those that are right by themselves are given, so that one that is
   * wrong hides nothing; what rests on values that are stored already is judged again when they are merged.
   */
  together?(
    this: void,
    values: Readonly<Record<string, Json>>,
    at: (name: string) => string,
  ): readonly Violation[]
}

/** The names of a shape's translatable properties. */
export function translatableOf(shape: Shape): string[] {
  return Object.entries(shape.properties)
    .filter(([, property]) => property.translatable)
    .map(([name]) => name)
}

/** What a body of a shape holds once it is read: writable values by name, null where the caller cleared. */
export type Written<Of extends Shape> = {
  readonly [Name in keyof Of['properties'] as Of['properties'][Name]['writable'] extends 'never'
    ? never
    : Name]?: z.output<Of['properties'][Name]['schema']> | null
}

/** What of a resource is stored in one language or none: null where a property has no value and no standard. */
export type Values<Of extends Shape> = string extends keyof Of['properties']
  ? Readonly<Record<string, Json>>
  : {
      readonly [Name in keyof Of['properties'] as Of['properties'][Name] extends {
        readonly stored: true
        readonly translatable: false
      }
        ? Name
        : never]: Kept<Of['properties'][Name]> | NullOf<Of['properties'][Name]>
    }

/** What is stored of a written value: what `merge` makes of it, else the value itself. */
type Kept<Of extends Property> = Of['merge'] extends (...given: never) => infer Merged
  ? Merged
  : z.output<Of['schema']>

/** Null where a property may have no value: it is not required, and nothing stands in for it. */
type NullOf<Of extends Property> = Of extends { readonly required: false; readonly standard: null }
  ? null
  : never
