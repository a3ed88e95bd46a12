/**
 * `includeFields`: dot paths into a topic's documents. They are written and shown in the names of the subscription's
 * version and kept in today's, so that moving the pin never changes what is selected.
 */

import { cut } from '../../../core/cut.ts'
import type { Violation } from '../../../core/problem.ts'
import { versionProblems } from '../../../core/problems/index.ts'
import type { Shape } from '../../../core/property.ts'
import { maximumPathDepth } from '../../../core/select.ts'
import type { Dialect } from '../../../core/version.ts'
import { kindOf, kinds, topicsMatching } from '../../events/index.ts'
import { webhookProblems } from './problems.ts'

/** A path that names nothing that its topic's documents have. */
export type UnknownField = { readonly at: string; readonly path: string; readonly known: readonly string[] }

/** Paths as a version calls a topic's documents, in today's names; those that name nothing, and what is wrong with others. */
export function writtenFields(
  paths: readonly string[],
  topic: string,
  dialect: Dialect,
): { fields: string[]; unknown: UnknownField[]; violations: Violation[] } {
  const read = paths.map((path, index) => writtenField(path, `includeFields[${index}]`, topic, dialect))
  return {
    fields: read.map(({ field }) => field),
    unknown: read.flatMap(({ unknown }) => unknown ?? []),
    violations: read.flatMap(({ violation }) => violation ?? []),
  }
}

/** The topic whose documents paths are read by: while there is none, any that has the name. */
export function topicOrAny(topic: string | null | undefined): string {
  return topic ?? '*'
}

/** Paths of today's names as a version calls them. */
export function spokenFields(fields: readonly string[], topic: string, dialect: Dialect): string[] {
  return fields.map((field) => {
    let place = startOf(topic)
    const spoken = field.split('.').map((name) => {
      const renames = place.shapes.flatMap(({ type }) => dialect.renames.get(type)?.get(name) ?? [])
      place = below(place, name)
      return renames[0] ?? name
    })
    return spoken.join('.')
  })
}

function writtenField(
  path: string,
  at: string,
  topic: string,
  dialect: Dialect,
): { field: string; unknown?: UnknownField; violation?: Violation } {
  const names = path.split('.')
  const wrong = { field: path, violation: webhookProblems.include_fields.at(at, { path: shortened(path) }) }
  if (names.length > maximumPathDepth || !names.every(isName)) return wrong
  let place = startOf(topic)
  const today: string[] = []
  for (const name of names) {
    const known = todayOf(name, place, dialect)
    if (known === null) {
      const rightName = place.shapes.flatMap(({ type }) => dialect.wrongNames.get(type)?.get(name) ?? [])[0]
      // As far as it is known: the rest is kept as it was written, and selects nothing.
      if (rightName === undefined) {
        const field = [...today, ...names.slice(today.length)].join('.')
        const known = place.shapes.flatMap(({ properties }) => Object.keys(properties))
        return { field, unknown: { at, path, known } }
      }
      const { name: version } = dialect.version
      return { field: path, violation: versionProblems.renamed_property.at(at, { name, rightName, version }) }
    }
    today.push(known)
    place = below(place, known)
  }
  return { field: today.join('.') }
}

/** Today's name of what a version calls `name` at a place; null where nothing is called so. */
function todayOf(name: string, { shapes, open }: Place, dialect: Dialect): string | null {
  if (name === '*' || everywhere.has(name)) return name
  const own = shapes.flatMap(({ type, properties }) => {
    const renamed = [...(dialect.renames.get(type) ?? [])].find(([, before]) => before === name)
    if (renamed) return [renamed[0]]
    return Object.hasOwn(properties, name) && !dialect.wrongNames.get(type)?.has(name) ? [name] : []
  })
  if (own[0] !== undefined) return own[0]
  const misnamed = shapes.some(({ type }) => dialect.wrongNames.get(type)?.has(name))
  return open && !misnamed ? name : null
}

/** Where in documents a path has come to: in one of these, or (`open`) in something whose names nobody declares. */
type Place = { readonly shapes: readonly Shape[]; readonly open: boolean }

const everywhere: ReadonlySet<string> = new Set(['@context', '@id', '@type', 'id', 'fallbacks'])
const shapesByType = new Map(Object.values(kinds).map(({ shape }) => [shape.type, shape]))

function startOf(topic: string): Place {
  const found = topicsMatching(topic).map(kindOf)
  const shapes = found.flatMap((kind) => kind?.shape ?? [])
  return { shapes: [...new Set(shapes)], open: shapes.length < found.length }
}

function below({ shapes, open }: Place, name: string): Place {
  const properties = shapes.flatMap((shape) =>
    Object.entries(shape.properties).flatMap(([each, property]) =>
      name === '*' || name === each ? [property] : [],
    ),
  )
  const found = properties.flatMap(({ of }) => (of === null ? [] : (shapesByType.get(of) ?? [])))
  // An element of an array is at the same place as the array.
  if (name === '*') return { shapes: [...new Set([...shapes, ...found])], open: true }
  return { shapes: [...new Set(found)], open: open || found.length < properties.length || found.length === 0 }
}

/** A name that Postgres can store, or `*`. */
function isName(text: string): boolean {
  return text === '*' || (/^[^\s*[\]"\\\p{Cc}]{1,255}$/u.test(text) && text.isWellFormed())
}

/** A path as a message shows it. */
export function shortened(path: string): string {
  return path.length > 100 ? `${cut(path, 100).toWellFormed()}…` : path.toWellFormed()
}
