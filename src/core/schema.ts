import * as z from 'zod'
import type { Json } from './json.ts'
import type { Violation } from './problem.ts'
import type { Scope } from './scopes.ts'

/** The scopes that a parameter, or a member of a body, needs when it is present. */
export type RequiredScopes = {
  /** The scopes for an unvalidated input value. */
  readonly scopes: (value: Json) => readonly Scope[]
  /** The same for the documentation: `sale_offers:read`. */
  readonly described: string
}

/** One property of a resource. Validation, merge, rendering, translation and documentation are derived from it. */
export type Property = {
  /** The schema of an input value, or of the value of a read-only property. It never includes null: null clears. */
  readonly schema: z.ZodType
  readonly writable: 'always' | 'create' | 'never'
  readonly required: boolean
  readonly translatable: boolean
  /** The default: the value when absent on create or cleared by null. */
  readonly defaultValue: Json
  /** Combines the stored value and an input value, if the result is not simply the input value. */
  readonly merge: Merge | null
  /** Validates a value that its schema accepts, for rules that a schema cannot express; `at` is its path in the body. */
  readonly validate: Validate | null
  /** True when the row's stored document contains it; false when it comes from other rows or columns. */
  readonly stored: boolean
  /** True when its value depends on other members, or on the bytes that they leave. Those members are read with it. */
  readonly dependsOnOthers: boolean
  /** The `@type` of its objects, when it contains objects of a resource; `anyType` if they may have any type. */
  readonly objectType: string | null
  /** A link to a resource instead of a literal, for JSON-LD. */
  readonly isLink: boolean
  /** The `@type` of a link's target, if `objectType` does not define it; `anyType` if the target may have any type. */
  readonly targetType: string | null
  /** Without this scope, the property is left out. */
  readonly visibleWith: Scope | null
  /** True for a property that publishable keys do not read. */
  readonly isInternal?: true
  /** The scopes that writing it needs beyond the operation's scope. */
  readonly neededScopes?: RequiredScopes
  readonly description: string
  /** The effect of writing it, documented for request bodies in addition to the description. */
  readonly writeDescription: string | null
  /** True when no document contains it; the written value is read elsewhere. */
  readonly writeOnly: boolean
  /** An example value for the documentation; by default one is generated from the schema. */
  readonly example?: Json
}

/** Method types, so that parameters are bivariant: a property's functions may take the type of its own schema. */
type Merge = { method(before: Json, value: Json): Json }['method']
type Validate = { method(value: Json, at: (path: string) => string): readonly Violation[] }['method']

/** Adds to an input schema the schema of the value in documents, if the two differ. */
export function shownAs<Schema extends z.ZodType>(schema: Schema, shown: z.ZodType): Schema {
  return schema.meta({ ...schema.meta(), shown })
}

/** Any JSON in validation, an object of a resource in the documentation. */
export function embeds(type: string): z.ZodType {
  return z.unknown().meta({ resource: type })
}

/** Matches every `@type`. */
export const anyType = '*'

type Options = Partial<Omit<Property, 'schema' | 'writable' | 'description'>>

const defaults = {
  required: false,
  translatable: false,
  dependsOnOthers: false,
  defaultValue: null,
  objectType: null,
  isLink: false,
  targetType: null,
  visibleWith: null,
  merge: null,
  validate: null,
  writeDescription: null,
  writeOnly: false,
}

/** A declared property with its value type, and the members that other types are derived from. */
type DeclaredProperty<
  Schema extends z.ZodType,
  Writable extends Property['writable'],
  PropertyOptions,
  Stored,
> = Omit<
  Property,
  'schema' | 'writable' | 'required' | 'translatable' | 'stored' | 'defaultValue' | 'merge'
> & {
  readonly schema: Schema
  readonly writable: Writable
  readonly required: PropertyOptions extends { readonly required: infer Flag extends boolean } ? Flag : false
  readonly translatable: PropertyOptions extends { readonly translatable: infer Flag extends boolean }
    ? Flag
    : false
  readonly stored: PropertyOptions extends { readonly stored: infer Flag extends boolean } ? Flag : Stored
  readonly defaultValue: PropertyOptions extends { readonly defaultValue: infer Default extends Json }
    ? Default
    : null
  readonly merge: PropertyOptions extends { readonly merge: infer Merging extends Merge } ? Merging : null
}

/** A property that may be written at any time. */
export function writable<Schema extends z.ZodType, const PropertyOptions extends Options>(
  schema: Schema,
  description: string,
  options?: PropertyOptions,
) {
  return declareProperty(schema, 'always', description, true, options)
}

/** A property that is written on create and read-only afterwards. */
export function createOnly<Schema extends z.ZodType, const PropertyOptions extends Options>(
  schema: Schema,
  description: string,
  options?: PropertyOptions,
) {
  return declareProperty(schema, 'create', description, true, options)
}

/** A property that the service derives; ignored on write. */
export function readOnly<Schema extends z.ZodType, const PropertyOptions extends Options>(
  schema: Schema,
  description: string,
  options?: PropertyOptions,
) {
  return declareProperty(schema, 'never', description, false, options)
}

function declareProperty<
  Schema extends z.ZodType,
  Writable extends Property['writable'],
  Stored extends boolean,
  PropertyOptions extends Options,
>(
  schema: Schema,
  writable: Writable,
  description: string,
  stored: Stored,
  options: PropertyOptions | undefined,
) {
  const property: Property = { ...defaults, schema, description, writable, stored, ...options }
  // The compiler does not track the members that `options` replaces.
  return property as DeclaredProperty<Schema, Writable, PropertyOptions, Stored>
}

/** Whether a create body or a merge patch may write a property. */
export function isWritable(property: Property, mode: 'create' | 'patch'): boolean {
  return property.writable === 'always' || (property.writable === 'create' && mode === 'create')
}

/** The meaning of a property and the effect of writing it, in one text. */
export function fullDescription({ description, writeDescription }: Property): string {
  return writeDescription === null ? description : `${description} ${writeDescription}`
}

/** A resource's type name and its properties, in the order of its documents. */
export type Shape = {
  /** The `@type`. */
  readonly type: string
  readonly description: string
  /** `/api/products`; its items are `{collection}/{id}` unless the resource is nested. */
  readonly collection: string
  /** The scope that reading any of it needs at every entry point; null if any valid token is accepted. */
  readonly readWith: Scope | null
  /** The draft status, and the scope that reading such resources needs. */
  readonly draft?: { readonly status: string; readonly visibleWith: Scope }
  /** True if an item contains its JSON-LD context instead of the context's IRI. */
  readonly inlineContext?: boolean
  readonly properties: Readonly<Record<string, Property>>
  /**
   * Validates several input values against each other. It receives only values that are valid by themselves, so an
   * invalid one hides no other violation. Rules that include stored values are validated again after the merge.
   */
  validateTogether?(
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

/** A parsed body of a shape: writable values by name, null if the caller cleared the value. */
export type WritableValues<Of extends Shape> = {
  readonly [Name in keyof Of['properties'] as Of['properties'][Name]['writable'] extends 'never'
    ? never
    : Name]?: z.output<Of['properties'][Name]['schema']> | null
}

/** The language-independent stored values of a resource: null for a property without value and default. */
export type Values<Of extends Shape> = string extends keyof Of['properties']
  ? Readonly<Record<string, Json>>
  : {
      readonly [Name in keyof Of['properties'] as Of['properties'][Name] extends {
        readonly stored: true
        readonly translatable: false
      }
        ? Name
        : never]: StoredValue<Of['properties'][Name]> | NullOf<Of['properties'][Name]>
    }

/** The stored type of an input value: the result of `merge`, else the value itself. */
type StoredValue<Of extends Property> = Of['merge'] extends (...args: never) => infer Merged
  ? Merged
  : z.output<Of['schema']>

/** Null if a property may have no value: it is not required and has no default. */
type NullOf<Of extends Property> = Of extends { readonly required: false; readonly defaultValue: null }
  ? null
  : never
