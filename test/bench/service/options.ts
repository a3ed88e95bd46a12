import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { templates } from '../../support/fill.ts'

/** The options of the command. */
export type Options = {
  readonly products: number
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  /** Milliseconds that the bridge holds back each message to Postgres. */
  readonly delay: number
  readonly seed: number
  /** Kinds whose name begins like one of these; all when empty. */
  readonly only: readonly string[]
  /** Folder of the stored Postgres. */
  readonly keep: string
  readonly fresh: boolean
  readonly against: string | null
  readonly compare: string | null
  readonly out: string
}

/** A mistake in the command itself, printed without a stack trace. */
export class UsageError extends Error {}

export const help = `Measures the service on this machine: the built Worker in workerd, next to the floor, a Worker that returns the same bytes
by one select of ready text. Both query the same Postgres through bridges of their own with Neon's protocol.

  npm run bench -- [--products 10000] [--seconds 10] [--rounds 3] [--only list,create]

  --products NUMBER      products of five variants with two prices each, in 200 categories (default 10000; a multiple of ${templates})
  --seconds NUMBER       length of a run, roughly (default 10)
  --rounds NUMBER        runs of each kind and Worker, in turns, of which the median counts (default 3)
  --connections NUMBER   requests under way at once (default 10)
  --only NAMES           only kinds whose names begin like one of these, parted by commas
  --delay NUMBER         milliseconds that the bridge holds back each message to Postgres (default 0)
  --list                 prints the kinds and ends
  --seed NUMBER          chooses the requested products (default 1)
  --keep DIR             the folder of the filled Postgres (default: a folder in the temporary one)
  --fresh                fills it again
  --against COMMIT       measures that commit's Worker in turns with this one, on a database of its own
  --compare FILE         compares the figures with those of an earlier --out
  --out FILE             figures as JSON (default test/artefacts/bench.json)
  --help                 this text

DATABASE_URL=postgresql://…  uses that server (15 or newer; an owner's connection string, which may make databases) instead of
one of its own. Databases named catalogue_bench_… are made in it, and its role catalogue_app gets another password.

CPU is that of the processes in /proc, where there is one, and of Postgres where it runs on this machine.
Exit code: 0, 1 if a request got an unexpected response or a process did not start, 2 for a mistake in the command.`

/** Reads the arguments; answers what to print where that is all. @throws UsageError */
export function readOptions(args: string[]): Options | 'help' | 'list' {
  const values = parsed(args)
  if (values.help) return 'help'
  if (values.list) return 'list'
  const number = (
    name: 'products' | 'seconds' | 'rounds' | 'connections' | 'delay' | 'seed',
    least: number,
  ) => {
    const value = Number(values[name])
    if (!(value >= least) || (name !== 'seconds' && !Number.isInteger(value)))
      throw new UsageError(`--${name} ${values[name]} is no number from ${least} on.`)
    return value
  }
  const products = number('products', templates)
  if (products % templates !== 0) throw new UsageError(`--products is a multiple of ${templates}.`)
  return {
    products,
    seconds: number('seconds', 0.1),
    rounds: number('rounds', 1),
    connections: number('connections', 1),
    delay: number('delay', 0),
    seed: number('seed', 0),
    only: (values.only ?? '').split(',').filter((word) => word !== ''),
    keep: values.keep ?? join(tmpdir(), 'catalogue-bench'),
    fresh: values.fresh,
    against: values.against ?? null,
    compare: values.compare ?? null,
    out: values.out,
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        products: { type: 'string', default: '10000' },
        seconds: { type: 'string', default: '10' },
        rounds: { type: 'string', default: '3' },
        connections: { type: 'string', default: '10' },
        delay: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string' },
        list: { type: 'boolean', default: false },
        keep: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        against: { type: 'string' },
        compare: { type: 'string' },
        out: { type: 'string', default: 'test/artefacts/bench.json' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
