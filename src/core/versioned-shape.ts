/** A type's shape as it was before a breaking change: what documents describe of it, and what refusals name. */
import type * as z from 'zod'
import type { BreakingChange, Removal, Rewrite } from './breaking-change.ts'
import { isJsonArray, member } from './json.ts'
import { type Property, readOnly, type Shape, writable } from './property.ts'
import { metaOf } from './schema-meta.ts'
import { memberAt, withMember, withoutMember, withValues } from './versioned-schema.ts'

type Properties = Readonly<Record<string, Property>>

/** The shape before a breaking change, with the examples as they are with it. @throws where it does not fit the shape */
export function shapeBefore(shape: Shape, breakingChange: BreakingChange): Shape {
  const {
    renames = {},
    moves = {},
    values = {},
    defaults = {},
    rewrites = [],
    removals = {},
  } = breakingChange
  // What a create meant without it changes nothing of what it shows.
  for (const name of Object.keys(defaults)) known(shape.properties, name)
  const valued = Object.entries(values).reduce(naming, shape.properties)
  const rewritten = rewrites.reduce(reshaping, valued)
  const paths = Object.entries(moves).map(([after, before]) => [after.split('.'), before.split('.')] as const)
  const moving = paths.map(([after, before]) => [before, partOf(rewritten, after)] as const)
  const left = paths.reduce((properties, [after]) => removing(properties, after), rewritten)
  const renamed = Object.fromEntries(
    Object.entries(left).map(([name, property]) => [renames[name] ?? name, property]),
  )
  const moved = moving.reduce((all, [before, property]) => adding(all, before, property), renamed)
  const properties = Object.entries(removals).reduce(restoring, moved)
  for (const name of Object.values(removals).flatMap(({ from = [] }) => from)) known(shape.properties, name)
  return { ...shape, properties }
}

function known(properties: Properties, name: string): Property {
  const property = member(properties, name)
  if (!property) throw new Error(`a version changes “${name}”, which the type does not have`)
  return property
}

function naming(
  properties: Properties,
  [path, names]: readonly [string, Readonly<Record<string, string>>],
): Properties {
  const [head = '', ...below] = path.split('.')
  const property = known(properties, head)
  return { ...properties, [head]: { ...property, schema: withValues(property.schema, below, names) } }
}

function reshaping(properties: Properties, { after: [first, ...others], before }: Rewrite): Properties {
  const property = known(properties, first)
  const made = Object.entries(before).map(([name, schema]) => [name, alone(property, schema)] as const)
  return Object.fromEntries(
    Object.entries(properties).flatMap((entry) =>
      entry[0] === first ? made : others.includes(entry[0]) ? [] : [entry],
    ),
  )
}

/** A property of its own with the schema of a part of another. */
function alone({ example: _, ...property }: Property, schema: z.ZodType): Property {
  const { description, examples } = metaOf(schema)
  const [example] = isJsonArray(examples) ? examples : []
  const told = example === undefined ? {} : { example }
  const own = {
    schema,
    description: typeof description === 'string' ? description : property.description,
    required: false,
    standard: null,
    merge: null,
    judge: null,
    of: null,
    link: false,
  }
  return { ...property, ...own, ...told }
}

function restoring(properties: Properties, [name, removal]: readonly [string, Removal]): Properties {
  if (Object.hasOwn(properties, name))
    throw new Error(`a version removes “${name}”, which was another property`)
  return { ...properties, [name]: removed(removal) }
}

function removed({ schema, taken, from, value }: Removal): Property {
  if (taken) return alone(writable(schema, ''), schema)
  const isNullable = from !== undefined || value === null
  return { ...alone(readOnly(schema, ''), schema), ...(isNullable && { schema: schema.nullable() }) }
}

function partOf(properties: Properties, [head = '', ...below]: readonly string[]): Property {
  const property = known(properties, head)
  if (below.length === 0) return property
  return alone(property, memberAt(property.schema, below))
}

function removing(properties: Properties, [head = '', ...below]: readonly string[]): Properties {
  const { [head]: property, ...rest } = properties
  if (!property || below.length === 0) return rest
  const schema = withoutMember(property.schema, below)
  return schema === null ? rest : { ...properties, [head]: { ...property, schema } }
}

function adding(
  properties: Properties,
  [head = '', ...below]: readonly string[],
  property: Property,
): Properties {
  if (below.length === 0) return { ...properties, [head]: property }
  const holder = member(properties, head)
  const schema = withMember(holder?.schema ?? null, below, property.schema)
  return { ...properties, [head]: { ...(holder ?? alone(property, schema)), schema } }
}
