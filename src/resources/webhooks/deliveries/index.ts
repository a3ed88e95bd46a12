/** What others need of deliveries: how long they are kept. */
export { deliveryDays, dropOldDeliveries } from './retention.ts'
