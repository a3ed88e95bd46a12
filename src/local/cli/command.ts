/**
 * The form of every local command. A command declares its options once, from which come its help, the check of all arguments and the
 * types of their values. It ends with 0 (done), 1 (failed) or 2 (wrong usage, nothing was done).
 */
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import * as z from 'zod'

/** A wrong use of a command: one sentence for each fault. The command ends with 2. */
export class UsageError extends Error {
  readonly faults: readonly string[]

  constructor(...faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** A failure that the command expects. Its message says what to do next. The command ends with 1. */
export class Failure extends Error {}

/** The surroundings of a command. Tests replace them. */
export type Surroundings = {
  /** Prints the result. */
  readonly print: (text: string) => void
  /** Prints questions and errors to the error output. */
  readonly printError: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
}

type Option<Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema
  /** The name of its value in the help; null for a flag. */
  readonly value: string | null
  readonly description: string
  /** The environment variable that replaces it if it is not given. */
  readonly variable?: string
  readonly isRepeated?: boolean
}
export type Options = Readonly<Record<string, Option>>
export type ValuesOf<Named extends Options> = z.output<
  z.ZodObject<{ -readonly [Name in keyof Named]: Named[Name]['schema'] }>
>

/** An option without a value. */
export function flag(description: string) {
  return { schema: z.boolean('takes no value').default(false), value: null, description }
}

/** An option with one value, which is required unless its schema is optional or has a default. */
export function option<Schema extends z.ZodType>(
  value: string,
  description: string,
  schema: Schema,
  variable?: string,
) {
  return { schema, value, description, ...(variable !== undefined && { variable }) }
}

/** An option that may be given several times. */
export function repeated<Schema extends z.ZodType>(value: string, description: string, schema: Schema) {
  return { schema, value, description, isRepeated: true }
}

const isRequired = 'is required'

/** A value of one or more characters. An option name after an option is not its value. */
export const text = z
  .string({ error: ({ input }) => (input === undefined ? isRequired : 'takes a value') })
  .trim()
  .regex(/^(?!--)./, 'takes a value')

/** A time with its zone. */
export const moment = text.pipe(
  z.iso.datetime({ offset: true, error: 'is a time with its zone: 2026-11-28T09:30:00Z' }),
)

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number, what = 'a number') {
  const message = `is ${what} from ${least} to ${most}`
  return text
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= least && number <= most, message)
}

export const port = wholeNumber(1, 65_535)

/** The URL of a service or issuer. */
export const httpUrl = text.refine(
  (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  'is a URL: https://acme.example.com',
)

export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** The label of a tenant on a local host: `acme` of `acme.localhost`. */
export const localTenant = text.regex(/^[a-z0-9-]+$/, 'is the first label of a host: acme')

type Given = Readonly<Record<string, unknown>>

type Definition<Named extends Options, Context extends Surroundings> = {
  /** `export`; of a subcommand `tenant create`. */
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** Complete command lines. */
  readonly examples: readonly string[]
  readonly options: Named
  /** The argument without an option name, and the fault if it is missing. A file must exist. */
  readonly argument?: { readonly name: string; readonly missing: string; readonly isFile?: true }
  /** Paragraphs below the options. */
  readonly notes?: readonly string[]
  /** Replaces the meaning of exit codes 0 and 1 in the help. */
  readonly exitCodes?: string
  /** Faults of combinations. `given` also has the values from environment variables, `typed` only those of options. */
  readonly faults?: (given: Given, typed: Given) => readonly string[]
  readonly run: (
    values: ValuesOf<Named> & { readonly argument: string },
    context: Context,
  ) => Promise<number | undefined>
}

/** A command. `run` takes the arguments after its name and returns the exit code. */
export type Command<Context extends Surroundings = Surroundings> = {
  readonly name: string
  readonly summary: string
  readonly help: string
  /** Its subcommands. */
  readonly parts?: readonly Command<Context>[]
  readonly run: (args: readonly string[], context: Context) => Promise<number>
}

export function command<Named extends Options, Context extends Surroundings = Surroundings>(
  definition: Definition<Named, Context>,
): Command<Context> {
  const { name, summary, run } = definition
  const help = helpOf(definition)
  return {
    name,
    summary,
    help,
    async run(args, context) {
      try {
        const values = readArguments(definition, args, context.env)
        if (values === null) context.print(help)
        return values === null ? 0 : ((await run(values, context)) ?? 0)
      } catch (error) {
        context.printError(error instanceof UsageError ? usageText(name, error.faults) : failureText(error))
        return error instanceof UsageError ? 2 : 1
      }
    },
  }
}

/** A command that consists of commands, by the last word of their names. */
export function commands<Context extends Surroundings = Surroundings>(definition: {
  readonly name: string
  readonly summary: string
  readonly parts: readonly Command<Context>[]
  readonly notes?: readonly string[]
}): Command<Context> {
  const { name, summary, parts, notes = [] } = definition
  const labels = parts.map((part) => part.name.split(' ').at(-1) ?? '')
  const lines = parts.map((part, index) => row(labels[index] ?? '', part.summary, labels))
  const ending = `Options: ${invocation(`${name} ${labels[0]}`)} --help`
  const help = [
    summary,
    `  ${invocation(name)} ${labels.join(' | ')}`,
    lines.join('\n'),
    ...notes.map(wrapped),
    ending,
  ].join('\n\n')
  return {
    name,
    summary,
    help,
    parts,
    async run([label = '', ...args], context) {
      const part = parts[labels.indexOf(label)]
      if (part) return part.run(args, context)
      if (label === '--help' || label === 'help') {
        context.print(help)
        return 0
      }
      const fault = label === '' ? 'A subcommand is required' : `There is no subcommand "${label}"`
      context.printError(usageText(name, [`${fault}: ${labels.join(', ')}.`]))
      return 2
    },
  }
}

/** Runs a command with the arguments of this process, and sets its exit code. */
export async function runHere(
  { run }: Pick<Command, 'run'>,
  surroundings: Surroundings = here,
): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), surroundings)
}

/** The output and environment of this process. */
export const here: Surroundings = {
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
  env: process.env,
}

/** The surroundings of a command that asks before it does what cannot be undone. */
export type Asking = Surroundings & {
  /** The user's answer to a question; null without a terminal. */
  readonly ask: (question: string) => Promise<string | null>
}

/** Asks on a terminal. Returns null without one. */
export async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** @throws UsageError without a terminal, Failure if the answer is not `name` */
export async function confirmed(warning: string, name: string, question: Asking['ask']): Promise<void> {
  const answer = await question(`${warning} It cannot be undone.\nType ${name} to continue: `)
  if (answer === null) throw new UsageError(`${warning} Without a terminal this requires --yes.`)
  if (answer.trim() !== name) throw new Failure('Nothing was changed.')
}

/** The message of an error, or the messages of its errors. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message || error.name : String(error)
}

/** A defect of the command is printed with its stack. */
function failureText(error: unknown): string {
  const isDefect =
    error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  return isDefect ? (error.stack ?? error.message) : reasonOf(error)
}

function usageText(name: string, faults: readonly string[]): string {
  return [...faults, `See: ${invocation(name)} --help`].join('\n')
}

function invocation(name: string): string {
  const [script = '', ...words] = name.split(' ')
  return [script === 'start' ? 'npm start' : `npm run ${script}`, '--', ...words].join(' ')
}

/** Returns null if the help is requested. @throws UsageError with all faults */
function readArguments<Named extends Options, Context extends Surroundings>(
  { name, options, argument, faults = () => [] }: Definition<Named, Context>,
  args: readonly string[],
  env: Surroundings['env'],
): (ValuesOf<Named> & { readonly argument: string }) | null {
  const declared: Options = options
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(declared).map(([key, { value, isRepeated = false }]) => [
      key,
      { type: value === null ? 'boolean' : 'string', multiple: isRepeated },
    ]),
  )
  const parsed = parseArgs({
    args: [...args],
    options: { ...config, help: { type: 'boolean' } },
    strict: false,
    allowPositionals: true,
  })
  const { help, ...typed } = parsed.values
  if (help) return null
  const fromEnvironment = Object.entries(declared).flatMap(([key, { variable }]) => {
    const value = variable === undefined || key in typed ? undefined : env[variable]?.trim()
    return value ? [[key, value] as const] : []
  })
  const given: Given = { ...typed, ...Object.fromEntries(fromEnvironment) }
  const [argumentValue, ...others] = argument ? parsed.positionals : ['', ...parsed.positionals]
  const shape = Object.fromEntries(Object.entries(options).map(([key, { schema }]) => [key, schema]))
  const checked = z.object(shape).safeParse(given)
  const labels = new Map(fromEnvironment.map(([key]) => [key, declared[key]?.variable]))
  const all = [
    ...Object.keys(typed).flatMap((key) =>
      key in declared ? [] : [`--${key} is not an option of ${invocation(name).replace(/ --/, '')}.`],
    ),
    ...(argumentValue === undefined && argument ? [argument.missing] : []),
    ...(argumentValue !== undefined && argument?.isFile && !isFile(argumentValue)
      ? [`There is no file ${argumentValue}.`]
      : []),
    ...others.map((value) => `"${value}" is one argument too many.`),
    ...(checked.success ? [] : checked.error.issues).map(({ path: [key], message }) => {
      const { variable } = declared[String(key)] ?? {}
      const label = labels.get(String(key)) ?? `--${String(key)}`
      return `${label}${message === isRequired && variable ? ` (or ${variable})` : ''} ${message}.`
    }),
    ...faults(given, typed),
  ]
  if (all.length > 0 || !checked.success) throw new UsageError(...new Set(all))
  return { ...(checked.data as ValuesOf<Named>), argument: argumentValue ?? '' }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

function helpOf<Named extends Options, Context extends Surroundings>({
  summary,
  examples,
  options,
  notes = [],
  exitCodes = '0 done, 1 failed',
}: Definition<Named, Context>): string {
  const described = Object.entries<Option>({ ...options, help: flag('prints this help') }).map(
    ([name, { value, description, variable, isRepeated, schema }]) => ({
      label: value === null ? `--${name}` : `--${name} ${value}`,
      description: [
        description,
        ...(isRepeated ? ['(may be repeated)'] : []),
        ...(variable === undefined || description.includes(variable)
          ? []
          : [`(default: the variable ${variable})`]),
        ...(variable === undefined && !schema.safeParse(undefined).success ? ['(required)'] : []),
      ].join(' '),
    }),
  )
  const labels = described.map(({ label }) => label)
  return [
    wrapped(summary),
    examples.map((line) => `  ${line}`).join('\n'),
    described.map(({ label, description }) => row(label, description, labels)).join('\n'),
    ...notes.map(wrapped),
    `Exit code: ${exitCodes}, 2 wrong usage.`,
  ].join('\n\n')
}

const lineLength = 120

function row(label: string, description: string, labels: readonly string[]): string {
  const width = Math.max(...labels.map(({ length }) => length)) + 4
  const lines = linesOf(description, lineLength - width)
  return `  ${label}`.padEnd(width) + lines.join(`\n${' '.repeat(width)}`)
}

const wrapped = (paragraph: string): string => linesOf(paragraph, lineLength).join('\n')

/** Breaks a paragraph at its spaces. Its own line breaks and indentation remain. */
function linesOf(paragraph: string, length: number): string[] {
  return paragraph.split('\n').flatMap((line) => {
    const lines: string[] = []
    for (const word of line.split(' ')) {
      const last = lines.pop()
      if (last === undefined) lines.push(word)
      else if (last.length + 1 + word.length <= length) lines.push(`${last} ${word}`)
      else lines.push(last, word)
    }
    return lines
  })
}
