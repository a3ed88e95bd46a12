/** Migrations run while the service is in use: none may lock a table for as long as it takes to read or rewrite it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Rule = {
  readonly name: string
  /** How to write it instead. */
  readonly advice: string
  /** Whether a statement breaks the rule. */
  readonly isBroken: (statement: string, file: Migration) => boolean
  readonly passes: readonly string[]
  readonly fails: readonly string[]
}

type Migration = {
  /** Without comments, in lower case, with single spaces. */
  readonly statements: readonly string[]
  /** Tables that the file creates: they are empty, and no request uses them. */
  readonly newTables: ReadonlySet<string>
}

const limit = "set local lock_timeout = '2s'"
const sessionLimit = "set lock_timeout = '1min'"
const create = /^create (?:unique )?index\b/
const concurrent = /^(?:create (?:unique )?|drop |re)index concurrently\b/

/** The table of ALTER TABLE or CREATE INDEX; null for other statements. */
function tableOf(statement: string): string | null {
  return (
    /^alter table (?:if exists )?(?:only )?(\w+)/.exec(statement)?.[1] ??
    /^create (?:unique )?index .*?\bon (?:only )?(\w+)/.exec(statement)?.[1] ??
    null
  )
}

/** The actions of ALTER TABLE on a table that is in use, one by one. */
function actions(statement: string, { newTables }: Migration): string[] {
  const [, table, rest] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(statement) ?? []
  if (table === undefined || rest === undefined || newTables.has(table)) return []
  return rest.split(/,(?![^(]*\)) (?=(?:add|alter|drop|validate|set|rename)\b)/)
}

const someAction =
  (pattern: RegExp): Rule['isBroken'] =>
  (statement, file) =>
    actions(statement, file).some((action) => pattern.test(action))

const rules: readonly Rule[] = [
  {
    name: 'a lock without a limit',
    advice:
      "Begin the file with: set local lock_timeout = '2s'; with CONCURRENTLY: set lock_timeout = '1min';",
    isBroken: (statement, { statements }) =>
      statement === statements[0] && !/^set (?:local )?lock_timeout = '\d+(?:ms|s|min)'$/.test(statement),
    passes: [`${limit}; alter table t add a int`],
    fails: ['alter table t add a int', `alter table t add a int; ${limit}`, "set local lock_timeout = '0'"],
  },
  {
    name: 'an index that is built or dropped under a lock',
    advice: 'Write CREATE or DROP INDEX CONCURRENTLY, in a file of its own.',
    isBroken: (statement, { newTables }) =>
      (create.test(statement) || /^(?:drop |re)index\b/.test(statement)) &&
      !concurrent.test(statement) &&
      !newTables.has(tableOf(statement) ?? ''),
    passes: [
      `${limit}; create table t (a int); create index on t (a)`,
      `${sessionLimit}; drop index concurrently if exists t_a; create index concurrently t_a on t (a)`,
    ],
    fails: [
      `${limit}; create index t_a on t (a)`,
      `${limit}; create unique index t_a on t (a) where a > 0`,
      `${limit}; drop index t_a`,
      `${limit}; reindex table t`,
    ],
  },
  {
    name: 'CONCURRENTLY in a file with a statement that needs a transaction',
    advice:
      'A file with CONCURRENTLY has no transaction: it only sets lock_timeout, and drops and creates indexes.',
    isBroken: (statement, { statements }) =>
      statements.some((each) => concurrent.test(each)) &&
      !concurrent.test(statement) &&
      !/^set lock_timeout\b/.test(statement),
    passes: [`${sessionLimit}; drop index concurrently if exists t_a`],
    fails: [
      `${sessionLimit}; drop index concurrently if exists t_a; alter table t add a int`,
      `${limit}; drop index concurrently if exists t_a`,
    ],
  },
  {
    name: 'CREATE INDEX CONCURRENTLY that cannot run again',
    advice:
      'Write DROP INDEX CONCURRENTLY IF EXISTS of the same name before it: an interrupted run leaves an invalid index.',
    isBroken(statement, { statements }) {
      const name = /^create (?:unique )?index concurrently (\w+) on\b/.exec(statement)?.[1]
      const drop = `drop index concurrently if exists ${name}`
      return create.test(statement) && concurrent.test(statement) && !statements.includes(drop)
    },
    passes: [
      `${sessionLimit}; drop index concurrently if exists t_a; create index concurrently t_a on t (a)`,
    ],
    fails: [
      `${sessionLimit}; create index concurrently t_a on t (a)`,
      `${sessionLimit}; create index concurrently if not exists t_a on t (a)`,
    ],
  },
  {
    name: 'a constraint that reads all rows',
    advice:
      'Add it NOT VALID and validate it in the next migration; a unique one USING an index that was built concurrently.',
    isBroken: (statement, file) =>
      actions(statement, file).some(
        (action) =>
          /^add (?:constraint \w+ )?(?:check|foreign key|unique|primary key|exclude|not null)\b/.test(
            action,
          ) && !/\bnot valid\b|\busing index\b/.test(action),
      ),
    passes: [
      `${limit}; alter table t add constraint t_a check (a > 0) not valid`,
      `${limit}; alter table t add constraint t_a unique using index t_a`,
      `${limit}; create table t (a int); alter table t add check (a > 0)`,
    ],
    fails: [
      `${limit}; alter table t add constraint t_a check (a > 0)`,
      `${limit}; alter table t add foreign key (a) references u`,
      `${limit}; alter table t add b int, add constraint t_a unique (a)`,
      `${limit}; alter table t add primary key (a)`,
    ],
  },
  {
    name: 'a constraint that is validated in the transaction that adds it',
    advice: 'Validate it in the next migration: the transaction that adds it has locked the table.',
    isBroken: (statement, { statements, newTables }) =>
      /\bvalidate constraint\b/.test(statement) &&
      statements.some((each) => /\bnot valid\b/.test(each) && !newTables.has(tableOf(each) ?? '')),
    passes: [`${limit}; alter table t validate constraint t_a`],
    fails: [
      `${limit}; alter table t add constraint t_a check (a > 0) not valid; alter table t validate constraint t_a`,
    ],
  },
  {
    name: 'a column that has to be filled or checked for all rows',
    advice: 'Add the column without it, fill it in steps, and add the constraint NOT VALID.',
    isBroken: someAction(
      /^add (?:column )?(?:if not exists )?(?!constraint\b|check\b|foreign\b|unique\b|primary\b|exclude\b)\w+ .*(?:\bgenerated\b.*\bstored\b|\bidentity\b|\bserial\b|\breferences\b|\bunique\b|\bprimary key\b|\bcheck\b|default (?!now\(\))[\w.]+\()/,
    ),
    passes: [
      `${limit}; alter table t add a int not null default 0`,
      `${limit}; alter table t add column a timestamptz not null default now()`,
      `${limit}; alter table t add a int, add constraint t_a check (a > 0) not valid`,
    ],
    fails: [
      `${limit}; alter table t add column a text not null generated always as (f(b)) stored`,
      `${limit}; alter table t add a uuid not null default gen_random_uuid()`,
      `${limit}; alter table t add a bigint default nextval('s')`,
      `${limit}; alter table t add a uuid references u`,
      `${limit}; alter table t add a int check (a > 0)`,
      `${limit}; alter table t add b int, add a int unique`,
    ],
  },
  {
    name: 'a table that is rewritten',
    advice: 'Add a column of the new type, fill it in steps, and switch.',
    isBroken: (statement, file) =>
      someAction(
        /^alter (?:column )?\w+ (?:set data )?type\b|^set (?:un)?logged\b|^set tablespace\b|^set access method\b/,
      )(statement, file) || /^(?:cluster|vacuum full|truncate)\b/.test(statement),
    passes: [`${limit}; alter table t alter column a set default 1`, `${limit}; alter table t drop column a`],
    fails: [
      `${limit}; alter table t alter column a type bigint`,
      `${limit}; alter table t alter a set data type text`,
      `${limit}; alter table t set unlogged`,
      `${limit}; vacuum full t`,
    ],
  },
  {
    name: 'NOT NULL that reads all rows',
    advice:
      'Add CHECK (a IS NOT NULL) NOT VALID, validate it in the next migration as <table>_<column>_not_null, then set NOT NULL.',
    isBroken: (statement, file) =>
      actions(statement, file).some((action) => {
        const column = /^alter (?:column )?(\w+) set not null\b/.exec(action)?.[1]
        const validated = `validate constraint ${tableOf(statement)}_${column}_not_null`
        return column !== undefined && !file.statements.some((each) => each.includes(validated))
      }),
    passes: [
      `${limit}; alter table t validate constraint t_a_not_null; alter table t alter a set not null`,
      `${limit}; create table t (a int); alter table t alter a set not null`,
    ],
    fails: [`${limit}; alter table t alter column a set not null`],
  },
  {
    name: 'a whole table that is locked, updated or deleted',
    advice: 'Fill rows in steps from a command, each in a transaction of its own.',
    isBroken: (statement, { newTables }) =>
      /^lock\b/.test(statement) ||
      (/^(?:update|delete from) (?:only )?(\w+)/.test(statement) &&
        !newTables.has(/^(?:update|delete from) (?:only )?(\w+)/.exec(statement)?.[1] ?? '') &&
        !/\bwhere\b/.test(statement)),
    passes: [
      `${limit}; update t set a = 1 where id = 1`,
      `${limit}; create table t (a int); update t set a = 1`,
    ],
    fails: [`${limit}; update t set a = 1`, `${limit}; delete from t`, `${limit}; lock table t`],
  },
  {
    name: 'a DO block, whose statements cannot be checked',
    advice: 'Write plain statements.',
    isBroken: (statement) => /^do\b/.test(statement),
    passes: [`${limit}; comment on table t is 'do'`],
    fails: [`${limit}; do $$ begin alter table t add unique (a); end $$`],
  },
  {
    name: 'a function outside of its only place',
    advice: 'Write it into a file of migrations/functions/.',
    isBroken: (statement) => /^create (?:or replace )?(?:function|procedure)\b/.test(statement),
    passes: [`${limit}; drop function f()`],
    fails: [`${limit}; create or replace function f() returns int language sql return 1`],
  },
]

/** Reads the statements of a file, without the text of dollar quotes. */
function parse(sql: string): Migration {
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, '$$$$')
    .toLowerCase()
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
  const newTables = statements.flatMap(
    (statement) => /^create table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? [],
  )
  return { statements, newTables: new Set(newTables) }
}

/** The rules that a file breaks, each with the statement and what to do. */
function faultsIn(sql: string, among = rules): string[] {
  const file = parse(sql)
  return among.flatMap(({ name, advice, isBroken }) =>
    file.statements.flatMap((statement) =>
      isBroken(statement, file) ? [`${name}: ${statement}. ${advice}`] : [],
    ),
  )
}

const root = join(import.meta.dirname, '..')

test('no migration after the first locks a table in use', () => {
  const files = globSync('migrations/*.sql', { cwd: root }).toSorted().slice(1)
  const faults = files.flatMap((file) =>
    faultsIn(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}: ${fault}`),
  )
  expect(faults).toEqual([])
})

test.each(rules)('$name is rejected, and its replacement is not', (rule) => {
  for (const sql of rule.fails) expect(faultsIn(sql, [rule]), sql).toHaveLength(1)
  for (const sql of rule.passes) expect(faultsIn(sql), sql).toEqual([])
})
