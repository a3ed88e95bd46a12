import * as z from 'zod'
import { expandable } from '../../src/core/expand.ts'
import type { Context, Input, Operation, Resource } from '../../src/core/operation.ts'
import { declareProblems } from '../../src/core/problem.ts'
import { validationProblems } from '../../src/core/problems/validation.ts'
import { readOnly, type Shape, writable } from '../../src/core/schema.ts'
import { throwViolations } from '../../src/core/violations.ts'
import { requireIfMatch } from '../../src/core/write.ts'
import { resources } from '../../src/resources/index.ts'
import { createApp } from '../support/app.ts'

/** A resource that stores nothing, to test how the HTTP layer handles requests and responses. */
const noteProblems = declareProblems('note', {
  not_found: {
    code: 'NT-1001',
    status: 404,
    description: 'No such note.',
    message: 'There is no note {id}.',
  },
})

export const noteId = '019aa000-0000-7000-8000-000000000001'
export const missingId = '019aa000-0000-7000-8000-000000000002'
export const notePath = `/api/notes/${noteId}`

/** Its type is the one that a version calls differently. */
const shelf: Shape = {
  type: 'Category',
  description: 'Where notes stand.',
  collection: '/api/shelves',
  readWith: 'categories:read',
  properties: {
    title: writable(z.string(), 'Its name.'),
    children: writable(z.array(z.string()), 'Its content.', {
      objectType: 'Category',
      isLink: true,
      visibleWith: 'categories:read',
    }),
  },
}

const note: Shape = {
  type: 'Note',
  description: 'Something written down.',
  collection: '/api/notes',
  readWith: 'products:read',
  properties: {
    title: writable(z.string().min(1).max(20), 'Its title.', { required: true }),
    count: writable(z.int().min(0), 'A number.'),
    shelf: writable(z.looseObject({}), 'Where it stands.', { objectType: 'Category' }),
    createdAt: readOnly(z.string(), 'When it was made.'),
  },
}

function documentOf(values: Readonly<Record<string, unknown>> = {}) {
  return {
    '@id': notePath,
    '@type': 'Note',
    id: noteId,
    title: 'First',
    shelf: {
      '@id': '/api/shelves/1',
      '@type': 'Category',
      title: 'Top',
      children: [{ '@id': '/api/shelves/2', '@type': 'Category', title: 'Low', children: [] }],
    },
    ...(values as object),
  }
}

function item(context: Context, input: Input) {
  if (input.params.id === missingId) throw noteProblems.not_found({ id: missingId })
  requireIfMatch(context, 3)
  const [body = {}] = input.bodies
  if (body.title === 'refused') throwViolations([validationProblems.blank.at('shelf.children[0].title')])
  if (body.title === 'defect') throw new TypeError('secret value')
  if (body.title === 'later')
    context.runAfterResponse(async (db) => {
      await db.read({})
      throw new TypeError('secret value')
    })
  return { kind: 'item', document: documentOf(body), version: 3, sequence: 7 } as const
}

const common = { shape: note, notFound: noteProblems.not_found, answers: 'item', query: {} } as const

const operations: readonly Operation[] = [
  {
    ...common,
    name: 'listNotes',
    summary: 'List notes',
    method: 'GET',
    path: '/api/notes',
    scope: 'products:read',
    answers: 'collection',
    query: {
      page: z
        .string()
        .regex(/^[1-9]\d{0,8}$/)
        .optional(),
      title: z.string().max(100).optional(),
      expand: expandable(['children', 'children.children'], 'Embeds the content of a shelf.'),
      'updatedAt[after]': z.iso.datetime().optional(),
    },
    run: async (_, { query }) => ({
      kind: 'collection',
      members: [documentOf(), documentOf({ asked: query })],
      total: 2,
      view: () => ({ first: 'title=a%20b', next: 'page=2' }),
      sequence: 7,
    }),
  },
  {
    ...common,
    name: 'createNotes',
    summary: 'Create notes',
    method: 'POST',
    path: '/api/notes',
    scope: 'products:write',
    body: { mode: 'create', bulk: 3 },
    run: async (_, { bodies, bulk }) =>
      bulk
        ? { kind: 'collection', members: bodies.map(documentOf), total: bodies.length }
        : { kind: 'item', document: documentOf(bodies[0]), version: 1, location: notePath },
  },
  {
    ...common,
    name: 'getNote',
    summary: 'Read a note',
    method: 'GET',
    path: '/api/notes/{id}',
    scope: 'products:read',
    run: async (context, input) => item(context, input),
  },
  {
    ...common,
    name: 'patchNote',
    summary: 'Change a note',
    method: 'PATCH',
    path: '/api/notes/{id}',
    scope: 'products:write',
    body: { mode: 'patch' },
    run: async (context, input) => item(context, input),
  },
  {
    ...common,
    name: 'deleteNote',
    summary: 'Delete a note',
    method: 'DELETE',
    path: '/api/notes/{id}',
    scope: 'products:write',
    answers: 'empty',
    run: async (context) => ({ kind: 'empty', replayed: context.idempotency?.key === 'again' }),
  },
  {
    ...common,
    name: 'newNote',
    summary: 'Only in the rolling version',
    method: 'GET',
    path: '/api/notes/{id}/new',
    scope: 'products:read',
    onlyIn: 'unstable',
    run: async (context, input) => item(context, input),
  },
]

const notes: Resource = { shape: note, operations, problems: Object.values(noteProblems) }
const shelves: Resource = { shape: shelf, operations: [], problems: [] }

/** The service with notes instead of products and other resources. */
export function noteApp() {
  const own = resources.filter(({ shape }) => ['ErrorCode', 'ApiVersion'].includes(shape.type))
  return createApp({ resources: [notes, shelves, ...own] })
}
