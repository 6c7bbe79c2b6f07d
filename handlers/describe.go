package handlers

// Listed returns the mounts of the public port without their handlers, for
// those who print them where no service runs.
func Listed() ([]Mount, error) {
	policies, err := readPolicies(services())
	if err != nil {
		return nil, err
	}
	var list []Mount
	c := chain{policies: policies, streams: newStreams(policies)}
	for _, service := range services() {
		list = append(list, c.mounted("/"+string(service.FullName())+"/", nil))
	}
	for _, mount := range c.besides() {
		list = append(list, Mount{Path: mount.Path})
	}
	return list, nil
}
