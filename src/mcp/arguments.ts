import { hint } from '../core/body.ts'
import { cut } from '../core/cut.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { localePattern } from '../core/locale.ts'
import type { Tool } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { validationProblems } from '../core/problems/index.ts'

/** A tool's arguments as the query of its operation, and the locale asked for; what is wrong with them as they stand. */
export type Arguments = {
  readonly query: ReadonlyMap<string, string>
  readonly locale: string | null
  readonly violations: readonly Violation[]
}

/** Reads a tool's arguments. Null is the same as absent: models send it for what they leave open. */
export function readArguments({ inputs }: Tool, given: Json | undefined): Arguments {
  const query = new Map<string, string>()
  const violations: Violation[] = []
  let locale: string | null = null
  if (given !== undefined && given !== null && !isJsonObject(given)) {
    return { query, locale, violations: [validationProblems.type.at('', { expected: 'object' })] }
  }
  for (const [name, value] of Object.entries(given ?? {})) {
    const known = name === 'locale' || Object.hasOwn(inputs, name)
    const expected = name === 'locale' ? 'string' : known ? inputs[name]?.type : null
    if (!known) {
      const near = hint(name, [...Object.keys(inputs), 'locale'])
      violations.push(validationProblems.unknown_argument.at(name, { name: cut(name, 100), hint: near }))
    } else if (value === null) continue
    else if (expected === 'integer' ? typeof value !== 'number' : typeof value !== 'string') {
      violations.push(validationProblems.type.at(name, { expected: String(expected) }))
    } else if (expected === 'integer' && !Number.isSafeInteger(value)) {
      violations.push(validationProblems.not_integer.at(name))
    } else if (String(value).includes('\0') || !String(value).isWellFormed()) {
      violations.push(validationProblems.characters.at(name))
    } else if (name === 'locale') {
      locale = String(value)
      if (!localePattern.test(locale))
        violations.push(validationProblems.pattern.at(name, { format: 'fr-FR' }))
    } else query.set(name, String(value))
  }
  return { query, locale, violations }
}
