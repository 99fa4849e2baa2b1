// The desktop.
