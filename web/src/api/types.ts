// types.ts: the shapes that the server speaks in, and an event whose data is known by its name.

export * from '../../gen/api';
import type { Delivery, Event, EventData } from '../../gen/api';

export type EventName = keyof EventData;

/** An event with the data that its name promises. */
export type Told<K extends EventName = EventName> = {
    [N in K]: Omit<Event, 'type' | 'data'> & { type: N; data: EventData[N] };
}[K];

/** Which agents have a message. */
export interface MessageDelivery {
    messageId: string;
    chatId: string;
    seenByAgents: string[];
    delivery: Delivery[];
}
