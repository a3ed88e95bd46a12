/** The deliveries of a subscription, as the service lists them. */
export type Delivery = {
  readonly '@id': string
  readonly topic: string
  readonly resource: string
  readonly sequence: number
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED'
  readonly attempts: number
  readonly httpStatus: number | null
  readonly latency: number | null
  readonly error: string | null
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  readonly log?: readonly Attempt[]
}

type Attempt = {
  readonly httpStatus?: number | null
  readonly latency?: number | null
  readonly error?: string | null
  readonly startedAt?: string
}

/** The content of a delivery, as the service renders it again. */
export type Carried = {
  readonly webhookId: string
  readonly body: string | null
  readonly error: string | null
}

export function deliveriesOf(subscription: string): string {
  return `${subscription}/deliveries`
}
