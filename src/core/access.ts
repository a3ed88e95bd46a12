import type { Actor } from './context.ts'
import { type Json, member } from './json.ts'
import { anyType, type Shape } from './schema.ts'
import { isScope, may, type Scope } from './scopes.ts'
import type { ApiVersion } from './versions.ts'

/**
 * Read access of a caller to resources. Every entry point uses it: operations and embedded resources, tools, events,
 * the audit trail and webhooks. Access follows only from scopes and identity permissions, so all entry points show the
 * same data.
 */

/** The resources and properties that a caller, or the creator of a webhook subscription, may read. */
export class Access {
  /** The effective scopes in a stable order. For a token that acts for a person, only scopes with a matching permission count. */
  readonly scopes: readonly Scope[]
  /** Whether the caller has a publishable key. It reads only published products, and no internal properties. */
  readonly isPublic: boolean
  readonly #scopeSet: ReadonlySet<Scope>

  private constructor(scopes: readonly Scope[], isPublic = false) {
    this.scopes = scopes
    this.isPublic = isPublic
    this.#scopeSet = new Set(scopes)
  }

  /** The access of a caller, limited to the given scopes of the service. */
  static of(actor: Actor, scopes: readonly Scope[]): Access {
    return new Access(
      scopes.filter((scope) => may(actor, scope)),
      actor.isPublic,
    )
  }

  /** The access that was stored as a list of scopes. */
  static from(scopeNames: readonly string[]): Access {
    return new Access(scopeNames.filter(isScope))
  }

  within(access: Access): Access {
    return new Access(
      this.scopes.filter((scope) => access.may(scope)),
      this.isPublic || access.isPublic,
    )
  }

  may(scope: Scope): boolean {
    return this.#scopeSet.has(scope)
  }

  /** Whether the caller may read any property of resources of a shape. */
  sees({ readWith }: Pick<Shape, 'readWith'>): boolean {
    return readWith === null || this.may(readWith)
  }

  /** Whether the caller may read drafts; true for shapes without drafts. */
  seesDrafts({ draft }: Pick<Shape, 'draft'>): boolean {
    return draft === undefined || this.may(draft.visibleWith)
  }

  /** Whether the caller may read a resource in a status. Drafts are visible only to callers who may read drafts. */
  seesStatus(shape: Pick<Shape, 'readWith' | 'draft'>, status: Json | undefined): boolean {
    return this.sees(shape) && (status !== shape.draft?.status || this.seesDrafts(shape))
  }

  /** The properties that the caller may not read, among all that a response can contain. */
  hiddenProperties({ guarded }: AnswerTypes): HiddenProperties {
    const hiddenNames = new Map<string, Set<string>>()
    for (const { type, name, scope } of guarded) {
      if (scope === null ? !this.isPublic : this.may(scope)) continue
      hiddenNames.set(type, (hiddenNames.get(type) ?? new Set()).add(name))
    }
    return hiddenNames
  }

  /** Whether the caller may read a property. An undeclared property is as visible as its resource. */
  seesProperty({ properties }: Shape, name: string): boolean {
    const scope = member(properties, name)?.visibleWith ?? null
    return scope === null || this.may(scope)
  }
}

type Shaped = { readonly shape: Shape }

export function shapesOf(resources: readonly Shaped[]): ReadonlyMap<string, Shape> {
  return new Map(resources.map(({ shape }) => [shape.type, shape]))
}

/** The types that a response of an operation can contain. They are computed before any document is read. */
export type AnswerTypes = {
  readonly types: readonly string[]
  /** Properties that need a scope to be read, or that publishable keys do not read (null). */
  readonly guarded: readonly { readonly type: string; readonly name: string; readonly scope: Scope | null }[]
  readonly shapes: ReadonlyMap<string, Shape>
}

/** The types and protected properties that an operation's documents can contain, including embedded resources. */
export function answerTypesOf({ shape }: Shaped, shapes: ReadonlyMap<string, Shape>): AnswerTypes {
  const reached = new Map<string, Shape>()
  const visit = (candidate: Shape | undefined): void => {
    if (!candidate || reached.has(candidate.type)) return
    reached.set(candidate.type, candidate)
    for (const { objectType: type, writeOnly } of Object.values(candidate.properties)) {
      if (writeOnly) continue
      if (type === anyType) shapes.forEach(visit)
      else if (type !== null) visit(shapes.get(type))
    }
  }
  visit(shape)
  return {
    // If several resources share a type, the shape of the operation wins.
    shapes: shapes.get(shape.type) === shape ? shapes : new Map([...shapes, [shape.type, shape]]),
    types: [...reached.keys()],
    guarded: [...reached.values()].flatMap(({ type, properties }) =>
      Object.entries(properties).flatMap(([name, { visibleWith, isInternal }]) => [
        ...(visibleWith === null ? [] : [{ type, name, scope: visibleWith }]),
        ...(isInternal ? [{ type, name, scope: null }] : []),
      ]),
    ),
  }
}

/** `@type` → names that the caller may not read. */
export type HiddenProperties = ReadonlyMap<string, ReadonlySet<string>>

/** Whether these documents contain properties that a version renames. */
export function hasRenames({ renames }: ApiVersion, { types }: AnswerTypes): boolean {
  return renames.size > 0 && types.some((type) => renames.has(type))
}
