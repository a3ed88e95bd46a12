import * as z from 'zod'
import type { Translations } from '../db/columns.ts'
import { parseStored } from '../db/row-types.ts'
import { instantOf } from './instant.ts'
import { isJsonObject, type Json, type JsonObject, jsonObject, member } from './json.ts'
import { byteLimits } from './limits.ts'
import {
  isFallback,
  type Locale,
  type Locales,
  localeOf,
  textsWithout,
  translated,
  writableLocales,
} from './locale.ts'
import { mergePatch } from './patch.ts'
import type { Violation } from './problem.ts'
import { localeProblems, validationProblems } from './problems/validation.ts'
import { type Property, type Shape, translatableOf, type Values, type WritableValues } from './schema.ts'
import { bytesOf, truncate } from './sizes.ts'
import { pathText, throwViolations, violationsOf } from './violations.ts'
import { safeParseJson } from './zod.ts'

/** The writable state of a resource, between the stored row and the response: create, merge, render. */

/** The writable part of a resource. */
export type State<Of extends Shape = Shape> = {
  /** Every stored property that is not translatable, by name. */
  readonly values: Values<Of>
  /** Every translatable property in every locale that has it. */
  readonly translations: Translations
}

type MergedState<Of extends Shape = Shape> = { state: State<Of>; violations: Violation[] }

/** The state of a new resource: the body's values in a locale, defaults for the rest. */
export function created<Of extends Shape>(shape: Of, body: WritableValues<Of>, locale: Locale): State<Of> {
  return merged(shape, null, body, locale).state
}

/**
 * Merges a patch into a state, or into an empty one (RFC 7396). Null resets a property to its default, objects merge
 * member by member, arrays are replaced.
 * A translatable property is written only in the given locale. A required one must keep at least one locale.
 */
export function merged<Of extends Shape>(
  shape: Of,
  before: State<Of> | null,
  patch: WritableValues<Of>,
  locale: Locale,
): MergedState<Of>
// A merge property by property has the shape's types if both inputs have them.
export function merged(shape: Shape, before: State | null, patch: JsonObject, locale: Locale): MergedState {
  const state = before ?? { values: {}, translations: {} }
  const { [locale.requested]: storedTexts, ...otherTranslations } = state.translations
  const values: Record<string, Json> = {}
  const texts: Record<string, Json> = { ...storedTexts }
  const violations: Violation[] = []
  for (const [name, property] of Object.entries(shape.properties)) {
    if (!property.stored) continue
    const { translatable, defaultValue } = property
    const stored = translatable ? (texts[name] ?? null) : (state.values[name] ?? defaultValue)
    const { value, violations: faults } = mergedValue(name, property, stored, member(patch, name))
    violations.push(...faults)
    const displayed = translated(state.translations, name, locale.chain)?.value ?? null
    const isMissing = stored === null && isFallback(patch.fallbacks, name, value, displayed)
    if (!translatable) values[name] = value
    else if (value === null || isMissing) delete texts[name]
    else texts[name] = value
  }
  const hasTexts = Object.keys(texts).length > 0
  const translations = hasTexts ? { ...otherTranslations, [locale.requested]: texts } : otherTranslations
  violations.push(...requiredTexts(shape, patch, translations))
  return { state: { values, translations }, violations }
}

/** The value of a property after a patch with this input, and the violations of an object that is merged by member. */
function mergedValue(name: string, property: Property, stored: Json, input: Json | undefined) {
  if (input === undefined) return { value: stored, violations: [] }
  const { schema, merge, defaultValue } = property
  const value = merge && input !== null ? merge(stored, input) : (input ?? defaultValue)
  if (!(schema instanceof z.ZodObject) || value === null) return { value, violations: [] }
  const parsed = safeParseJson(schema, mergePatch(stored ?? {}, value))
  if (!parsed.success) return { value: null, violations: violationsOf(parsed.error, [name]) }
  return { value: withoutNulls(parsed.data), violations: [] }
}

/** A violation for each required text that the patch clears and that no locale has. */
function requiredTexts(shape: Shape, patch: JsonObject, translations: Translations): Violation[] {
  return translatableOf(shape)
    .filter((name) => shape.properties[name]?.required && member(patch, name) === null)
    .filter((name) => !translated(translations, name, Object.keys(translations)))
    .map((name) => validationProblems.required.at(name))
}

/** The object without null members; null if none remains. */
function withoutNulls(object: Json): JsonObject | null {
  if (!isJsonObject(object)) return null
  const members = Object.entries(object).filter(([, value]) => value !== null && value !== undefined)
  return members.length === 0 ? null : Object.fromEntries(members)
}

/** The time at which a row was archived: its previous archiving time, or now. Null if it is not archived. */
export function archivedAt(
  before: { readonly archivedAt: string | null } | undefined,
  { status }: { readonly status: string },
  now: Date,
): string | null {
  return status === 'ARCHIVED' ? (before?.archivedAt ?? instantOf(now)) : null
}

/** Whether a change archives a row or restores it; null if it does neither. */
export type Transition = 'archive' | 'restore' | null

/** The transition between the statuses of a row before and after a change. */
export function transitionOf(before: string, after: string): Transition {
  if ((before === 'ARCHIVED') === (after === 'ARCHIVED')) return null
  return after === 'ARCHIVED' ? 'archive' : 'restore'
}

type StoredState = { document: string; translations?: Translations | null }

/** The state of a stored row. */
export function stateOf<Of extends Shape>(shape: Of, row: StoredState): State<Of>
// The document was rendered from a state of this shape.
export function stateOf(shape: Shape, row: StoredState): State {
  const document = parseStored(jsonObject, row.document)
  const values = Object.fromEntries(
    Object.entries(shape.properties)
      .filter(([, property]) => property.stored && !property.translatable)
      .map(([name, property]) => [name, document[name] ?? property.defaultValue]),
  )
  return { values, translations: row.translations ?? {} }
}

/**
 * Renders a state as the stored document: in the tenant's default locale, with `fallbacks` for missing translations.
 * @throws Problem 422 `validation.document_too_large` if it is too large in one language or in all together
 */
export function render(
  shape: Shape,
  identity: { iri: string; id: string },
  state: State,
  locales: readonly [string, ...string[]],
): string {
  const { chain, requested: defaultLocale } = localeOf(locales, null)
  const document: Record<string, Json> = { '@id': identity.iri, '@type': shape.type, id: identity.id }
  const fallbacks: Record<string, string> = {}
  for (const [name, property] of Object.entries(shape.properties)) {
    if (!property.stored) continue
    if (property.translatable) {
      const translation = translated(state.translations, name, chain)
      document[name] = translation?.value ?? null
      if (translation && translation.locale !== defaultLocale) fallbacks[name] = translation.locale
    } else document[name] = state.values[name] ?? null
  }
  if (Object.keys(fallbacks).length > 0) document.fallbacks = fallbacks
  requireWithinLimits(document, state.translations)
  return JSON.stringify(document)
}

/** A document takes each text from any language, so the longest of each together are its maximum size. */
function requireWithinLimits(document: JsonObject, translations: Translations): void {
  const locales = Object.values(translations)
  const names = new Set(locales.flatMap((texts) => Object.keys(texts)))
  const untranslated = Object.entries(document).filter(([name]) => !names.has(name))
  const longest = [...names].map((name) =>
    Math.max(...locales.map((texts) => jsonBytes({ [name]: texts[name] }))),
  )
  const sizes = [
    {
      bytes: longest.reduce((sum, bytes) => sum + bytes, jsonBytes(untranslated)),
      maximum: byteLimits.rowDocument,
    },
    { bytes: jsonBytes(translations), maximum: byteLimits.rowTranslations },
  ]
  const exceeded = sizes.find(({ bytes, maximum }) => bytes > maximum)
  if (exceeded) throwViolations([validationProblems.document_too_large.at('', exceeded)])
}

function jsonBytes(value: unknown): number {
  return bytesOf(JSON.stringify(value))
}

/** A translatable property in the tenant's default locale, or the nearest locale that has it. */
export function defaultText(
  state: State,
  name: string,
  locales: readonly [string, ...string[]],
): string | null {
  const translation = translated(state.translations, name, localeOf(locales, null).chain)
  return typeof translation?.value === 'string' ? translation.value : null
}

/** A change of a resource's texts, by a patch or by replacing all translations. */
export type TextUpdate<Of extends Shape = Shape> = {
  /** Returns the next state and the violations that forbid it. */
  readonly apply: (before: State<Of>) => { readonly state: State<Of>; readonly violations: Violation[] }
  /** The values of a state that the audit trail compares. */
  readonly shown: (state: State<Of>) => Values<Of> & Readonly<Record<string, unknown>>
  /** The path of a translatable property in the body, for the locale that must be unique. */
  readonly path: (name: string) => string
  /** Whether archived resources are changed as well: true for a change of all resources of the tenant. */
  readonly includesArchived?: true
}

/** The result of a text change, and whether it replays an earlier request with the same key. */
export type Translated<Parts> = Parts & { readonly replayed: boolean }

/** Merges a patch in one locale (RFC 7396), and then the texts of other locales. */
export function patchTexts<Of extends Shape>(
  shape: Of,
  patch: WritableValues<Of>,
  locale: Locale,
): TextUpdate<Of> {
  const { otherTexts = [] } = locale
  return {
    apply(before) {
      let { state, violations } = merged(shape, before, patch, locale)
      for (const other of otherTexts) {
        const next = merged<Shape>(
          shape,
          { values: {}, translations: state.translations },
          other.texts,
          other.locale,
        )
        const at = (path: string) => `translations.${other.locale.requested}.${path}`
        state = { ...state, translations: next.state.translations }
        violations = [
          ...violations,
          ...next.violations.map((fault) => ({ ...fault, propertyPath: at(fault.propertyPath) })),
        ]
      }
      return { state, violations }
    },
    shown({ values, translations }) {
      const names = otherTexts.map((other) => other.locale.requested)
      const others = Object.fromEntries(names.map((name) => [name, translations[name] ?? {}]))
      const shown = { ...values, ...translations[locale.requested] }
      return names.length > 0 ? { ...shown, translations: others } : shown
    },
    path: (name) => name,
  }
}

/** Input translations by locale and property; null means absent. */
export type WrittenTranslations = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>

/** Replaces all translations by the given ones, which must include every required property. */
export function replaceTranslations<Of extends Shape>(
  shape: Of,
  input: WrittenTranslations,
  tenant: Locales,
): TextUpdate<Of> {
  const { locales } = tenant
  const writable = writableLocales(tenant)
  const path = (locale: string, ...names: string[]) => pathText(['translations', locale, ...names])
  const violations: Violation[] = []
  let texts: State = { values: {}, translations: {} }
  for (const [locale, localeTexts] of Object.entries(input)) {
    if (!writable.includes(locale)) {
      const values = { locale: truncate(locale, 35), locales: writable.join(', ') }
      violations.push(localeProblems.not_declared.at(path(locale), values))
      continue
    }
    texts = merged<Shape>(shape, texts, localeTexts ?? {}, localeOf(locales, locale)).state
  }
  const { translations } = texts
  const { properties }: Shape = shape
  for (const name of translatableOf(shape)) {
    if (properties[name]?.required && !translated(translations, name, locales)) {
      violations.push(validationProblems.required.at(path(locales[0], name)))
    }
  }
  return {
    apply: ({ values }) => ({ state: { values, translations }, violations }),
    shown: (state) => ({ ...state.values, translations: state.translations }),
    path: (name) => path(locales[0], name),
  }
}

/** Removes a locale from a resource's texts, as `textsWithout` does. */
export function withoutLocale<Of extends Shape>(
  locale: string,
  locales: readonly [string, ...string[]],
): TextUpdate<Of> {
  return {
    apply: ({ values, translations }) => ({
      state: { values, translations: textsWithout(locale, translations, locales) },
      violations: [],
    }),
    shown: (state) => ({ ...state.values, translations: state.translations }),
    path: (name) => name,
    includesArchived: true,
  }
}
