import type { Actor } from './context.ts'
import { type Json, member } from './json.ts'
import { anyType, type Shape } from './schema.ts'
import { isScope, may, type Scope } from './scopes.ts'
import type { ApiVersion } from './versions.ts'

/**
 * What somebody may see of a resource, decided here for every door: operations and what they embed, tools, events, the audit
 * trail, webhooks. It follows from scopes and identity permissions alone, so that no door shows what another refuses.
 */

/** What somebody may see: a caller now, or whoever aimed a webhook subscription. */
export class Access {
  /** The scopes that count: those of the token, for a person those with the permission as well; in a stable order. */
  readonly grants: readonly Scope[]
  readonly #held: ReadonlySet<Scope>

  private constructor(grants: readonly Scope[]) {
    this.grants = grants
    this.#held = new Set(grants)
  }

  /** The sight of a caller, among the scopes that there are. */
  static of(actor: Actor, scopes: readonly Scope[]): Access {
    return new Access(scopes.filter((scope) => may(actor, scope)))
  }

  /** The sight that was kept as its grants. */
  static from(grants: readonly string[]): Access {
    return new Access(grants.filter(isScope))
  }

  /** What both see. */
  within(other: Access): Access {
    return new Access(this.grants.filter((scope) => other.may(scope)))
  }

  /** Whether it holds a scope. */
  may(scope: Scope): boolean {
    return this.#held.has(scope)
  }

  /** Whether it sees anything of resources of a shape but that they exist. */
  sees({ readWith }: Pick<Shape, 'readWith'>): boolean {
    return readWith === null || this.may(readWith)
  }

  /** Whether it sees drafts; true where resources of the shape have none. */
  seesDrafts({ draft }: Pick<Shape, 'draft'>): boolean {
    return draft === undefined || this.may(draft.visibleWith)
  }

  /** Whether it sees a resource in a status: a draft is there only for those who see drafts. */
  seesStatus(shape: Pick<Shape, 'readWith' | 'draft'>, status: Json | undefined): boolean {
    return this.sees(shape) && (status !== shape.draft?.status || this.seesDrafts(shape))
  }

  /** The properties that it does not see, of all that can stand in an answer. */
  hidden({ guarded }: AnswerTypes): HiddenProperties {
    const hidden = new Map<string, Set<string>>()
    for (const { type, name, scope } of guarded) {
      if (this.may(scope)) continue
      hidden.set(type, (hidden.get(type) ?? new Set()).add(name))
    }
    return hidden
  }

  /** Whether it sees a property of a shape; of one that is not declared, as much as of the resource. */
  seesProperty({ properties }: Shape, name: string): boolean {
    const scope = member(properties, name)?.visibleWith ?? null
    return scope === null || this.may(scope)
  }
}

/** A resource, or an operation on one. */
type Shaped = { readonly shape: Shape }

/** All shapes by `@type`. */
export function shapesOf(resources: readonly Shaped[]): ReadonlyMap<string, Shape> {
  return new Map(resources.map(({ shape }) => [shape.type, shape]))
}

/** What can stand in an answer of an operation: known before any document is seen. */
export type AnswerTypes = {
  readonly types: readonly string[]
  /** Properties that a scope guards. */
  readonly guarded: readonly { readonly type: string; readonly name: string; readonly scope: Scope }[]
  /** All shapes, by `@type`. */
  readonly shapes: ReadonlyMap<string, Shape>
}

/** The types and guarded properties that an operation's documents can hold, through whatever they embed. */
export function answerTypesOf({ shape }: Shaped, shapes: ReadonlyMap<string, Shape>): AnswerTypes {
  const reached = new Map<string, Shape>()
  const visit = (each: Shape | undefined): void => {
    if (!each || reached.has(each.type)) return
    reached.set(each.type, each)
    for (const { of, writeOnly } of Object.values(each.properties)) {
      if (writeOnly) continue
      if (of === anyType) shapes.forEach(visit)
      else if (of !== null) visit(shapes.get(of))
    }
  }
  visit(shape)
  return {
    // Where resources have a type in common, this is the one that the operation shows.
    shapes: shapes.get(shape.type) === shape ? shapes : new Map([...shapes, [shape.type, shape]]),
    types: [...reached.keys()],
    guarded: [...reached.values()].flatMap(({ type, properties }) =>
      Object.entries(properties).flatMap(([name, { visibleWith }]) =>
        visibleWith === null ? [] : [{ type, name, scope: visibleWith }],
      ),
    ),
  }
}

/** `@type` → names that the actor may not see. */
export type HiddenProperties = ReadonlyMap<string, ReadonlySet<string>>

/** Whether these documents contain properties that a version renames. */
export function hasRenames({ renames }: ApiVersion, { types }: AnswerTypes): boolean {
  return renames.size > 0 && types.some((type) => renames.has(type))
}
