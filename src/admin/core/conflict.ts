/** The changes of two users to one document, property by property, and the merged document. */
import { type Fields, isFields, type Json, same, written } from './changed.ts'

/** A property that differs between the two documents, which both began with `before`. */
export type Conflict = {
  /** `seo.title` */
  readonly path: string
  readonly before: Json
  readonly mine: Json
  readonly theirs: Json
  /** Null if both changed it: then the user has to choose. */
  readonly changedBy: 'mine' | 'theirs' | null
}

export type Choice = 'mine' | 'theirs'

/** Where two changes of a document lead apart. What a form does not know of counts as left alone. */
export function conflicts(before: Fields, mine: Fields, theirs: Fields, path = ''): Conflict[] {
  const names = new Set([...Object.keys(before), ...Object.keys(mine), ...Object.keys(theirs)])
  return [...names].flatMap((name) => {
    if (name.startsWith('@') || name === 'id' || name === 'originId') return []
    const was = written(before[name])
    const my = name in mine ? written(mine[name]) : was
    const their = written(theirs[name])
    if (same(my, their)) return []
    // Also where there was nothing: two people who begin it meet only at what both wrote.
    if ((isFields(was) || was === null) && isFields(my) && isFields(their)) {
      return conflicts(was ?? {}, my, their, `${path}${name}.`)
    }
    const [mineChanged, theirsChanged] = [!same(was, my), !same(was, their)]
    const changedBy = mineChanged && theirsChanged ? null : mineChanged ? 'mine' : 'theirs'
    return [{ path: path + name, before: was, mine: my, theirs: their, changedBy } as const]
  })
}

/** Chooses one side for every conflict. "Mine" are only the properties that the person edited. */
export function chosenFor(found: readonly Conflict[], side: Choice): Readonly<Record<string, Choice>> {
  return Object.fromEntries(
    found.map(({ path, changedBy }) => [path, changedBy === 'theirs' ? changedBy : side] as const),
  )
}

/** Their document with the chosen values of mine. */
export function resolved(
  theirs: Fields,
  found: readonly Conflict[],
  choices: Readonly<Record<string, Choice>>,
): Fields {
  return found
    .filter(({ path }) => choices[path] === 'mine')
    .reduce((document, { path, mine }) => withMember(document, path.split('.'), mine), theirs)
}

/** A document with another value at a path. */
export function withMember(fields: Fields, [name = '', ...deeper]: readonly string[], value: Json): Fields {
  const inner = fields[name]
  return {
    ...fields,
    [name]: deeper.length === 0 ? value : withMember(isFields(inner) ? inner : {}, deeper, value),
  }
}
