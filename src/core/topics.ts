/** What happens to resources, by name: the topics of events and of webhook subscriptions. */

const subjects = {
  product: 'A product',
  variant: 'A variant of a product',
  product_option: 'An option of a product',
  option_value: 'A value of an option',
  category: 'A category',
  collection: 'A collection of products',
  sale_offer: 'A sale offer',
  purchase_offer: 'A purchase offer',
  metaobject: 'A metaobject',
  metaobject_definition: 'A metaobject definition',
} as const

const actions = {
  created: 'was created.',
  updated: 'was changed.',
  deleted: 'was deleted or archived.',
} as const

/** What events are about: `product`, `sale_offer`. */
export type TopicSubject = keyof typeof subjects
/** A subject and what became of it: `product/created`. */
export type TopicName = `${TopicSubject}/${keyof typeof actions}`

/** A topic that can be subscribed to. */
export type Topic = {
  /** `product/created` */
  readonly name: TopicName
  readonly subject: TopicSubject
  readonly description: string
}

/** Every topic, in a stable order. */
export const topics: readonly Topic[] = (Object.keys(subjects) as TopicSubject[]).flatMap((subject) =>
  (Object.keys(actions) as (keyof typeof actions)[]).map((action) => ({
    name: `${subject}/${action}` as const,
    subject,
    description: `${subjects[subject]} ${actions[action]}${embedding(subject, action)}`,
  })),
)

/** A product also changes with whatever it embeds. */
function embedding(subject: TopicSubject, action: string): string {
  return subject === 'product' && action === 'updated'
    ? ' So was one whose option, value, variant or category membership changed.'
    : ''
}

/** The names that a pattern means: a topic, `product/*` for all of a subject, `*` for all; none when it means nothing. */
export function topicsMatching(pattern: string): TopicName[] {
  return topics
    .filter(({ name, subject }) => pattern === name || pattern === `${subject}/*` || pattern === '*')
    .map(({ name }) => name)
}
