import * as z from 'zod'
import type { Operation } from './operation.ts'
import type { Violation } from './problem.ts'
import { validationProblems } from './problems/validation.ts'
import type { ApiVersion } from './versions.ts'
import { metaOf } from './zod.ts'

/** The parameter `expand` of an operation: an array of some of these paths. */
export function expandable(choices: readonly [string, ...string[]], description: string) {
  return z.array(z.enum(choices)).optional().meta({ choices, description })
}

/** The number of levels of a relation between resources of one type: 2 for `children.children`, 0 if it is not expanded. */
export function levelsOf(expand: readonly string[] | undefined, relation = 'children'): number {
  const depths = (expand ?? []).map((path) => path.split('.')).filter((names) => names[0] === relation)
  return Math.max(0, ...depths.map(({ length }) => length))
}

/** The paths that an operation can expand; empty if it has no such parameter. */
function choicesOf({ query }: Pick<Operation, 'query'>): readonly string[] {
  return (query.expand && metaOf(query.expand).choices) ?? []
}

/** Whether a parameter is `expand`, which may also be written as the array `expand[]`. */
export function namesExpand(name: string): boolean {
  return /^expand(?:\[\d*\])?$/.test(name)
}

/** Reads paths separated by commas, in the names of any version, into current names. The first unknown path is a violation. */
export function readExpand(
  values: readonly string[],
  operation: Pick<Operation, 'query'>,
  version: ApiVersion,
): { paths: string[]; faults: Violation[] } {
  const choices = choicesOf(operation)
  const texts = values.flatMap((value) => value.split(',')).map((text) => text.trim())
  const paths = texts.map((text) => toCurrentNames(text, version))
  const unknown = texts.find((_, index) => !choices.includes(paths[index] ?? ''))
  return {
    paths: [...new Set(paths.filter((path) => choices.includes(path)))],
    faults: unknown === undefined ? [] : [notExpandable(unknown, operation, version)],
  }
}

/** The violation of an unknown path; its message lists the choices in the names of the version. */
export function notExpandable(
  path: string,
  operation: Pick<Operation, 'query'>,
  version: ApiVersion,
): Violation {
  const choices = choicesOf(operation).map((choice) => toVersionNames(choice, version))
  return validationProblems.expand.at('expand', { path: path.slice(0, 100), choices: choices.join(', ') })
}

/** Every path that an operation can expand: in the names of the version first, then in those of the other versions. */
export function expandPaths(operation: Pick<Operation, 'query'>, version: ApiVersion): string[] {
  const versions = [version, ...version.all.values()]
  return [
    ...new Set(
      versions.flatMap((other) => choicesOf(operation).map((choice) => toVersionNames(choice, other))),
    ),
  ]
}

/** A path of current names in the names of a version. */
export function toVersionNames(path: string, { renames }: ApiVersion): string {
  const names = new Map([...renames.values()].flatMap((namesOfType) => [...namesOfType]))
  return renameSegments(path, names)
}

/** A path in the names of any version in current names. */
function toCurrentNames(path: string, { all }: ApiVersion): string {
  const names = [...all.values()].flatMap(({ currentNames }) =>
    [...currentNames.values()].flatMap((namesOfType) => [...namesOfType]),
  )
  return renameSegments(path, new Map(names))
}

function renameSegments(path: string, names: ReadonlyMap<string, string>): string {
  return path
    .split('.')
    .map((segment) => names.get(segment) ?? segment)
    .join('.')
}
