/**
 * Problems: every error that the service returns is declared once as data, with its status, its code and its English
 * message. Only declared problems can be thrown, so the catalogue at `/api/error-codes` is complete by construction.
 */

/** Messages of a language by slug. A message without a translation is English. */
export type Messages = Readonly<Record<string, string>>

export const englishMessages: Messages = {}

/** The languages of translated messages, which are the names of the files in `src/messages`. */
const messageLanguages = ['da', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'sv', 'zh']

/** The language of the translated messages for a locale; null if they are English. The Chinese messages are in simplified characters. */
export function messageLanguageOf(locale: string): string | null {
  const { language, script } = new Intl.Locale(locale).maximize()
  return messageLanguages.includes(language) && script !== 'Hant' ? language : null
}

/** One catalogued error. `message` is for end users, with `{name}` placeholders; `description` is for developers. */
export type ProblemDeclaration = {
  /** `PRD-1001`: domain prefix and number; published, never reused. */
  readonly code: string
  readonly status: number
  readonly description: string
  readonly message: string
  /** The unique property of its resource whose value another row has, if the problem reports that. */
  readonly takenName?: 'handle' | 'externalId' | 'sku' | 'type' | 'key' | 'locale'
}

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The placeholder values of a problem, derived from its message. */
type ProblemValues<Declaration extends ProblemDeclaration> = {
  readonly [Name in Placeholders<Declaration['message']>]: MessageValue
}

/** One error in the input. */
export type Violation = {
  /** The path in the body or query: `variants[0].sku`, in current property names. */
  readonly propertyPath: string
  readonly problem: CataloguedProblem
  readonly values: MessageValues
  /** The advice for this occurrence, in English for developers; the description when absent. */
  readonly help?: string
  /** The IRI of the resource that is in the way, if the caller may read it. */
  readonly conflictingResource?: string
  /** Added to the message for end users. */
  readonly advice?: Message
}

/** An English message and the slug of its translations. */
export type Message = { readonly slug: string; readonly message: string }

/** A value of a message; a message as a value is translated too. */
type MessageValue = string | number | Message
export type MessageValues = Readonly<Record<string, MessageValue>>

/** A declared problem with the names that it has in the catalogue. */
export type CataloguedProblem = ProblemDeclaration & { readonly slug: string; readonly domain: string }

/** The details of one occurrence of a problem. */
export type ProblemExtras = {
  /** The advice for this occurrence, in English; the description when absent. Never a third-party message. */
  readonly help?: string
  /** Added to the message. */
  readonly advice?: Message
  readonly violations?: readonly Violation[]
  /** Members of the problem document beyond those of RFC 9457, such as `missingPermissions`. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** The original error: for the log, never for the caller. */
  readonly cause?: unknown
}

/** A thrown problem. One place (`http/errors.ts`) renders it in the caller's language. */
export class Problem extends Error {
  readonly kind: CataloguedProblem
  readonly values: MessageValues
  readonly extras: ProblemExtras

  constructor(kind: CataloguedProblem, values: MessageValues, extras: ProblemExtras = {}) {
    super(kind.slug)
    this.name = 'Problem'
    this.kind = kind
    this.values = values
    this.extras = extras
  }
}

type ProblemArguments<D extends ProblemDeclaration> =
  Placeholders<D['message']> extends never
    ? [values?: Record<string, never>, extras?: ProblemExtras]
    : [values: ProblemValues<D>, extras?: ProblemExtras]

type ViolationArguments<D extends ProblemDeclaration> =
  Placeholders<D['message']> extends never
    ? [propertyPath: string, values?: Record<string, never>, help?: string]
    : [propertyPath: string, values: ProblemValues<D>, help?: string]

/** A declared problem as a function: call it for a `Problem` to throw, `.at(path, values)` for a violation. */
type ProblemFactory<D extends ProblemDeclaration> = CataloguedProblem & {
  (...args: ProblemArguments<D>): Problem
  at(...args: ViolationArguments<D>): Violation
}

/**
 * Declares the problems of one domain. `declareProblems('product', { handle_taken: { code: 'PRD-1001', … } })` gives
 * `problems.handle_taken({ handle })`, whose slug is `product.handle_taken`.
 */
export function declareProblems<const D extends Record<string, ProblemDeclaration>>(
  domain: string,
  declarations: D,
) {
  const entries = Object.entries(declarations).map(([name, declaration]) => {
    const kind = { ...declaration, domain, slug: `${domain}.${name}` }
    const raise = (values: MessageValues = {}, extras: ProblemExtras = {}) =>
      new Problem(kind, values, extras)
    const at = (propertyPath: string, values: MessageValues = {}, help?: string) => ({
      propertyPath,
      problem: kind,
      values,
      help,
    })
    return [name, Object.assign(raise, kind, { at })]
  })
  return Object.fromEntries(entries) as { readonly [Name in keyof D]: ProblemFactory<D[Name]> }
}

/** A message in the language of `messages`, with its values. */
export function localizedMessage(
  { slug, message }: Message,
  messages: Messages,
  values: MessageValues = {},
): string {
  const text = messages[slug] ?? message
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name] ?? placeholder
    return typeof value === 'object' ? localizedMessage(value, messages) : String(value)
  })
}
