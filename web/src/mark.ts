/** keyhole is the outline of the keyhole in the service's mark, public/icon.svg, within 64 by 64. */
export const keyhole = "M32 15a11 11 0 0 1 5.6 20.47L40.5 49h-17l2.9-13.53A11 11 0 0 1 32 15Z";
