/*
 * The components. Their styles stand in styles/. Each component accepts the
 * attributes of its element besides its own. The first script has all of these;
 * dialog.tsx stands apart, since no first page needs it.
 */
export { announce, LiveRegion } from "./announce";
export { Button, LinkButton } from "./button";
export { CopyButton, CopyField, copyText, isSelected } from "./copy";
export { Checkbox, Field, Form, PasswordInput, Select, TextArea, TextInput } from "./field";
export { Icon, type IconName } from "./icon";
export { Menu, MenuItem, MenuLink } from "./menu";
export { Empty, Failure, Loading, Notice, Skeleton } from "./notice";
export { Card, Facts, Page } from "./page";
export { Segmented } from "./segmented";
export { Spinner } from "./spinner";
export { Relative, Time } from "./time";
