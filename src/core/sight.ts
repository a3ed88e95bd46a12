/**
 * What somebody may see of a resource, decided here for every door: operations and what they embed, tools, events, the audit
 * trail, webhooks. It follows from scopes and identity permissions alone, so that no door shows what another refuses.
 */
import type { Actor } from './context.ts'
import { type Json, member } from './json.ts'
import { may } from './permission.ts'
import type { Shape } from './property.ts'
import type { Hidden, Reach } from './reach.ts'
import { isScope, type Scope } from './scopes.ts'

/** What somebody may see: a caller now, or whoever aimed a webhook subscription. */
export class Sight {
  /** The scopes that count: those of the token, for a person those with the permission as well; in a stable order. */
  readonly grants: readonly Scope[]
  readonly #held: ReadonlySet<Scope>

  private constructor(grants: readonly Scope[]) {
    this.grants = grants
    this.#held = new Set(grants)
  }

  /** The sight of a caller, among the scopes that there are. */
  static of(actor: Actor, scopes: readonly Scope[]): Sight {
    return new Sight(scopes.filter((scope) => may(actor, scope)))
  }

  /** The sight that was kept as its grants. */
  static from(grants: readonly string[]): Sight {
    return new Sight(grants.filter(isScope))
  }

  /** What both see. */
  within(other: Sight): Sight {
    return new Sight(this.grants.filter((scope) => other.may(scope)))
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
  hidden({ guarded }: Reach): Hidden {
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
