/*
 * The components. Their styles stand in styles/. Each component accepts the
 * attributes of its element besides its own. The first script has all of these;
 * copy.tsx, dialog.tsx and menu.tsx stand apart, since no first page needs them.
 */
export { announce, LiveRegion } from "./announce";
export { Button, LinkButton } from "./button";
export { Checkbox, Field, Form, PasswordInput, Select, TextArea, TextInput } from "./field";
export { Icon, type IconName } from "./icon";
export { Empty, Failure, Loading, Notice, Skeleton } from "./notice";
export { Card, Facts, Page } from "./page";
export { Segmented } from "./segmented";
export { Spinner } from "./spinner";
export { Relative, Time } from "./time";
