// The door of this folder: small things to see and press, without knowledge of the store.
export { AgentName, agentHue, Badge, Count, markShape, markWord, StateMark, type Mark } from './badge';
export { alarm, announce, LiveRegions } from './announce';
export { Banner } from './banner';
export { Button, IconButton } from './button';
export { Dialog } from './dialog';
export { Empty, Loading } from './empty';
export { Checkbox, Field, Radios, Select, TextArea } from './field';
export { Icon, type IconName } from './icon';
export { Menu, type MenuItem } from './menu';
export { TroubleBox } from './problem';
export { WindowedRows } from './rows';
export { Sheet } from './sheet';
export { TabPages, Tabs } from './tabs';
export { ago, clock, day, duration, Time } from './time';
export { dropSubject, toast, Toasts, type ToastAction, type ToastOptions } from './toast';
