import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messagesOf } from '../../../test/support/app.ts'
import { resources } from '../../resources/index.ts'
import { issueMessages } from '../../resources/issues/types.ts'
import { resolutions } from '../../resources/products/rules.ts'
import {
  type CataloguedProblem,
  englishMessages,
  localizedMessage,
  type Message,
  messageLanguageOf,
} from '../problem.ts'
import { coreProblems } from './index.ts'
import { formats } from './validation.ts'

const all = [...new Set([...coreProblems, ...resources.flatMap(({ problems }) => problems)])]
const languages = globSync('*.json', { cwd: join(import.meta.dirname, '../../messages') }).map((file) =>
  file.slice(0, -5),
)
/** Parts of sentences. */
const phrases: readonly Message[] = Object.values(formats)
const english: readonly Message[] = [...all, ...Object.values(resolutions), ...phrases, ...issueMessages]
/** Every message in every language. */
const messages = english.flatMap((problem) =>
  ['en', ...languages].map((language) => ({
    language,
    problem,
    text: localizedMessage(problem, messagesOf(language)),
  })),
)

/** Published domains. */
const domains =
  'auth validation version locale product product_option option_value variant category collection sale_offer purchase_offer pricing metaobject metaobject_definition campaign market search_synonyms bulk_operation webhook event idempotency concurrency rate_limit http server'

/** Published slugs with their statuses. */
const promised = {
  'auth.insufficient_scope': 403,
  'auth.permission_denied': 403,
  'category.cycle': 422,
  'category.has_children': 409,
  'category.in_use': 409,
  'concurrency.busy': 409,
  'concurrency.version_mismatch': 412,
  'event.expired': 410,
  'idempotency.key_reused': 422,
  'metaobject.handle_taken': 409,
  'option_value.in_use': 409,
  'pricing.resolve_context_incomplete': 422,
  'product.archived': 409,
  'product.handle_taken': 409,
  'product_option.in_use': 409,
  'rate_limit.exceeded': 429,
  'validation.unknown_parameter': 422,
  'validation.unknown_property': 422,
  'variant.combination_exists': 409,
  'version.operation_unavailable': 404,
  'version.renamed_property': 422,
  'version.retired': 410,
  'version.unknown': 400,
}

const placeholders = (message: string) => (message.match(/\{[^}]*\}/g) ?? []).toSorted()

/** The slugs of the problems that break a rule, so that a failure names them. */
const breaking = (isBroken: (problem: CataloguedProblem) => boolean) =>
  all.filter(isBroken).map((problem) => problem.slug)

const repeated = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index)

test('codes are unique', () => {
  expect(repeated(all.map((problem) => problem.code))).toEqual([])
})

test('slugs are unique', () => {
  expect(repeated(all.map((problem) => problem.slug))).toEqual([])
})

test('codes have the published form', () => {
  expect(breaking((problem) => !/^[A-Z]{2,4}-\d{4}$/.test(problem.code))).toEqual([])
})

test('each domain has one code prefix of its own', () => {
  const pairs = new Set(all.map((problem) => `${problem.domain} ${problem.code.split('-')[0]}`))
  const prefixes = new Set(all.map((problem) => problem.code.split('-')[0]))
  expect(pairs.size).toBe(new Set(all.map(({ domain }) => domain)).size)
  expect(prefixes.size).toBe(pairs.size)
})

test('the published domains are all there', () => {
  expect(all.map(({ domain }) => domain)).toEqual(expect.arrayContaining(domains.split(' ')))
})

test('what the problems of a resource declare is in the catalogue', async () => {
  const root = join(import.meta.dirname, '../../..')
  const files = globSync('src/resources/**/problems.ts', { cwd: root })
  const modules = await Promise.all(files.map((file): Promise<object> => import(join(root, file))))
  const declared = modules.flatMap((module) =>
    Object.values(module).flatMap((problems): CataloguedProblem[] => Object.values(problems)),
  )
  const known = all.map(({ slug }) => slug)
  expect(declared.map(({ slug }) => slug).filter((slug) => !known.includes(slug))).toEqual([])
  expect(declared.length).toBeGreaterThan(0)
})

test('promised slugs exist with their statuses', () => {
  const statuses = Object.fromEntries(all.map((problem) => [problem.slug, problem.status]))
  expect(statuses).toMatchObject(promised)
})

test('statuses are errors', () => {
  expect(breaking(({ status }) => !(Number.isInteger(status) && status >= 400 && status <= 599))).toEqual([])
})

test('every validation problem is 422', () => {
  expect(breaking(({ domain, status }) => domain === 'validation' && status !== 422)).toEqual([])
})

test.each(languages)('%s translates every message and no other', (language) => {
  expect(Object.keys(messagesOf(language)).toSorted()).toEqual(english.map(({ slug }) => slug).toSorted())
})

test('all languages name the same placeholders, each a plain name', () => {
  const differs = ({ problem, text }: (typeof messages)[number]) =>
    String(placeholders(text)) !== String(placeholders(problem.message)) ||
    placeholders(text).some((name) => !/^\{\w+\}$/.test(name))
  expect(messages.filter(differs)).toEqual([])
})

test('no translation is its English text', () => {
  const isEnglish = ({ language, problem, text }: (typeof messages)[number]) =>
    language !== 'en' && text === problem.message
  expect(messages.filter(isEnglish)).toEqual([])
})

test('messages and descriptions are whole sentences', () => {
  const texts = [
    ...all.map(({ description }) => description),
    ...messages.flatMap(({ problem, text }) => (phrases.includes(problem) ? [] : text)),
  ]
  expect(texts.filter((text) => !/^\S.*[.?!。]$/.test(text))).toEqual([])
})

test('quotation marks, and spaces before French punctuation, are those of the language', () => {
  const foreign: Readonly<Record<string, RegExp>> = {
    en: /["'„«»]/,
    fr: /["'„“”]|«(?!\u00a0)|(?<!\u00a0)»|(?<!\u00a0)[:;!?](?!\S)/,
    de: /["'”«»]/,
    da: /["'”«»]/,
    es: /["'„“”]|« | »/,
    it: /["'„“”]|« | »/,
    pt: /["'„“”]|« | »/,
    nl: /["'“«»]/,
    pl: /["'“«»]/,
    sv: /["'„“«»]/,
    ja: /["'„“”«»]/,
    zh: /["'„«»]/,
  }
  expect(messages.filter(({ language, text }) => foreign[language]?.test(text) !== false)).toEqual([])
})

test('French texts of the admin have no-break spaces before punctuation', () => {
  const source = readFileSync(join(import.meta.dirname, '../../admin/messages/fr.ts'), 'utf8')
  // In code, a quotation mark or a parenthesis precedes these marks.
  expect(source.match(/.*(?:[\p{L}\d)}»] [:;!](?=[ '"`])|[\p{L}»] ?[;!?](?=['"`])|« | »).*/gu)).toBeNull()
})

test.each(['messages/de.ts', 'messages/react-admin-de.ts'])(
  'German texts in %s have German quotation marks, no-break percent and no English apostrophe',
  (file) => {
    const source = readFileSync(join(import.meta.dirname, '../../admin', file), 'utf8')
    expect(source.match(/.*(?:[”’«»]|[\d}] ?%(?!\{)).*/gu)).toBeNull()
    // A mark that is opened is closed in the same text.
    expect(source.match(/.*„[^“]*(?:„.*|$)/gmu)).toBeNull()
  },
)

test('given its values, a message has no placeholder left in any language', () => {
  const leavesOne = ({ language, problem }: (typeof messages)[number]) => {
    const values = Object.fromEntries(placeholders(problem.message).map((name) => [name.slice(1, -1), 7]))
    return /[{}]/.test(localizedMessage(problem, messagesOf(language), values))
  }
  expect(messages.filter(leavesOne)).toEqual([])
})

test.each([
  ['de-AT', 'de'],
  ['pt-BR', 'pt'],
  ['es-419', 'es'],
  ['zh-CN', 'zh'],
  ['zh-SG', 'zh'],
  ['zh-TW', null],
  ['zh-HK', null],
  ['en-GB', null],
  ['ko-KR', null],
])('messages for %s are in %s', (locale, language) => {
  expect(messageLanguageOf(locale)).toBe(language)
  expect(languages.includes(String(language))).toBe(language !== null)
  if (language === null) expect(messagesOf(locale)).toBe(englishMessages)
})
