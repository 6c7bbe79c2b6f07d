package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// Every setting of the files for containers exists and has a value that the
// service takes, and what they ask the service is there.
func TestDeployments(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "root.key")
	servertest.Call(t, nil, "", "admin", "keygen", key).Want(t, "admin keygen", command.ExitOK)
	s := servertest.Start(t)
	settings := map[string][]string{}
	for _, name := range []string{"compose.yaml", "deploy/container/compose.yaml"} {
		settings[name] = composeSettings(t, name)
	}
	settings["compose.yaml with a certificate"] = certifiedSettings(t)
	for _, name := range []string{"deploy/kubernetes/hush.yaml", "deploy/kubernetes/hush-postgres.yaml"} {
		pod := podOf(t, name)
		settings[name] = pod.settings()
		pod.check(t, name, s)
	}
	for name, environment := range settings {
		for i, variable := range environment {
			if strings.HasPrefix(variable, "HUSH_ROOT_KEY_FILE=") {
				environment[i] = "HUSH_ROOT_KEY_FILE=" + key
			}
		}
		environment = slices.Concat(imageSettings(t), environment)
		replaceMarks(t, name, environment)
		servertest.Call(t, environment, "", "admin", "config", "check").Want(t, name+": admin config check", command.ExitOK)
		// From a clone alone there is no key: the service makes one in the volume.
		if !strings.HasPrefix(name, "compose.yaml") && !slices.Contains(environment, "HUSH_ROOT_KEY_FILE="+key) {
			t.Errorf("%s: got the settings %q, want a root key", name, environment)
		}
	}
	servertest.Call(t, []string{"HUSH_UNKNOWN=x"}, "", "admin", "config", "check").Want(t, "admin config check of an unknown setting", command.ExitFailure)
}

// replaceMarks gives the settings that say REPLACE, which the service refuses, a value
// that it takes.
func replaceMarks(t *testing.T, name string, environment []string) {
	t.Helper()
	for i, variable := range environment {
		setting, found := strings.CutSuffix(variable, "=REPLACE: the addresses of the ingress controller")
		if !found {
			continue
		}
		servertest.Call(t, environment, "", "admin", "config", "check").Want(t, name+" as it is: admin config check", command.ExitFailure, "must be addresses or networks")
		environment[i] = setting + "=192.0.2.0/24"
		return
	}
	if strings.HasPrefix(name, "deploy/kubernetes") {
		t.Errorf("%s: got no value that must be replaced, want the proxies", name)
	}
}

// imageSettings are those of both Dockerfiles, which run alike.
func imageSettings(t *testing.T) []string {
	t.Helper()
	run := map[string]string{}
	for _, name := range []string{"Dockerfile", "deploy/container/Dockerfile"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^(USER|VOLUME|ENV|EXPOSE|ENTRYPOINT|CMD|STOPSIGNAL|HEALTHCHECK) .*$`).FindAllString(string(text), -1)
		run[name] = strings.Join(lines, "\n")
	}
	if run["Dockerfile"] != run["deploy/container/Dockerfile"] {
		t.Errorf("what images run: got\n%s\nin Dockerfile, and in deploy/container/Dockerfile\n%s", run["Dockerfile"], run["deploy/container/Dockerfile"])
	}
	_, line, _ := strings.Cut(run["Dockerfile"], "\nENV ")
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}

// certifiedSettings are those that the comment of compose.yaml gives for a name and a
// certificate. Its ports are those that the service listens on then.
func certifiedSettings(t *testing.T) (variables []string) {
	t.Helper()
	text, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ +#   (HUSH_\w+): "?([^"\n]+)"?$`).FindAllStringSubmatch(string(text), -1) {
		variables = append(variables, m[1]+"="+m[2])
	}
	for _, want := range []string{"HUSH_ACME=true", "HUSH_LISTEN=0.0.0.0:8443", "HUSH_ACME_HTTP_LISTEN=0.0.0.0:8080"} {
		if !slices.Contains(variables, want) {
			t.Errorf("compose.yaml, for a certificate: got %q, want %s", variables, want)
		}
	}
	if !strings.Contains(string(text), `["80:8080", "443:8443"]`) {
		t.Error("compose.yaml, for a certificate: got no ports for it, want 80 and 443")
	}
	return variables
}

// composeSettings are those of a compose file, which checks health as the image
// does, and leaves the service as long to end as Kubernetes must.
func composeSettings(t *testing.T, name string) []string {
	t.Helper()
	var file struct {
		Services map[string]struct {
			Environment map[string]string
			Healthcheck struct{ Test []string }
			Ports       []string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
			Volumes     []string
			Secrets     []string
		}
		Volumes map[string]any
		Secrets map[string]any
	}
	decodeYAML(t, name, &file)
	hush := file.Services["hush"]
	if !slices.Equal(hush.Healthcheck.Test, []string{"CMD", "/hush", "healthcheck"}) || !slices.Equal(hush.Ports, []string{"127.0.0.1:7143:7143"}) {
		t.Errorf("%s: got %q and %q, want the image's health check and port", name, hush.Healthcheck.Test, hush.Ports)
	}
	if !hush.ReadOnly || !slices.Equal(hush.CapDrop, []string{"ALL"}) || !slices.Equal(hush.SecurityOpt, []string{"no-new-privileges:true"}) {
		t.Errorf("%s: got a container that may do more than it must", name)
	}
	for _, volume := range hush.Volumes {
		source, place, _ := strings.Cut(volume, ":")
		if _, ok := file.Volumes[source]; !ok || place != "/data" {
			t.Errorf("%s: got the volume %s, want one of the file at /data", name, volume)
		}
	}
	for _, secret := range hush.Secrets {
		if _, ok := file.Secrets[secret]; !ok || hush.Environment["HUSH_ROOT_KEY_FILE"] != "/run/secrets/"+secret {
			t.Errorf("%s: got the secret %s, want it as the root key", name, secret)
		}
	}
	var variables []string
	for variable, value := range hush.Environment {
		variables = append(variables, variable+"="+value)
	}
	return variables
}

// kubePod is what is checked of a pod.
type kubePod struct {
	GracePeriod int `yaml:"terminationGracePeriodSeconds"`
	Containers  []struct {
		Env []struct {
			Name, Value string
			ValueFrom   map[string]any `yaml:"valueFrom"`
		}
		Ports []struct {
			Name          string
			ContainerPort int `yaml:"containerPort"`
		}
		StartupProbe   kubeProbe `yaml:"startupProbe"`
		LivenessProbe  kubeProbe `yaml:"livenessProbe"`
		ReadinessProbe kubeProbe `yaml:"readinessProbe"`
		VolumeMounts   []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name  string
		Claim struct {
			ClaimName string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
	}
}

type kubeProbe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// podOf returns the pod of a manifest.
func podOf(t *testing.T, name string) kubePod {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	var found kubePod
	claims := map[string]bool{"": true} // volumes of another kind have none
	for decoder := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var object struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				Template struct{ Spec kubePod }
				Ports    []struct {
					TargetPort string `yaml:"targetPort"`
				}
				AccessModes          []string `yaml:"accessModes"`
				VolumeClaimTemplates []any    `yaml:"volumeClaimTemplates"`
			}
		}
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			for _, volume := range found.Volumes {
				if !claims[volume.Claim.ClaimName] {
					t.Errorf("%s: got the claim %q for the volume %s, want one of the file for one pod", name, volume.Claim.ClaimName, volume.Name)
				}
			}
			return found
		} else if err != nil {
			t.Fatalf("%s: got %v, want YAML", name, err)
		}
		if len(object.Spec.Template.Spec.Containers) > 0 {
			found = object.Spec.Template.Spec
		}
		// With templates each replica would get a data folder of its own.
		if len(object.Spec.VolumeClaimTemplates) > 0 {
			t.Errorf("%s: got templates of claims, want one claim", name)
		}
		if slices.Equal(object.Spec.AccessModes, []string{"ReadWriteOncePod"}) {
			claims[object.Metadata.Name] = true
		}
		if object.Kind == "Service" && object.Spec.Ports[0].TargetPort != "http" {
			t.Errorf("%s: got a Service to %q, want the pod's port", name, object.Spec.Ports[0].TargetPort)
		}
	}
}

func (p kubePod) settings() (environment []string) {
	secret := map[string]string{"HUSH_STORE": "postgres://hush@localhost/hush", "HUSH_NODE_NAME": "hush-6f7d9-abcde"}
	for _, c := range p.Containers {
		for _, variable := range c.Env {
			value := variable.Value
			if variable.ValueFrom != nil {
				value = secret[variable.Name]
			}
			environment = append(environment, variable.Name+"="+value)
		}
	}
	return environment
}

// setting returns the value of a variable.
func (p kubePod) setting(name string) string {
	for _, one := range p.settings() {
		if value, ok := strings.CutPrefix(one, name+"="); ok {
			return value
		}
	}
	return ""
}

// check asks a running service what the probes ask.
func (p kubePod) check(t *testing.T, name string, s *servertest.Server) {
	t.Helper()
	if len(p.Containers) != 1 || len(p.Containers[0].Ports) != 1 || p.Containers[0].Ports[0].ContainerPort != 7143 || p.GracePeriod < 15 {
		t.Fatalf("%s: got %+v, want one container with the image's port, and time to end", name, p)
	}
	c := p.Containers[0]
	probes := map[string]kubeProbe{"startup": c.StartupProbe, "readiness": c.ReadinessProbe}
	if c.LivenessProbe != (kubeProbe{}) {
		probes["liveness"] = c.LivenessProbe
	}
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" {
		t.Errorf("%s: got readiness by %q, want /readyz", name, c.ReadinessProbe.HTTPGet.Path)
	}
	for _, kind := range slices.Sorted(maps.Keys(probes)) {
		get := probes[kind].HTTPGet
		if get.Port != c.Ports[0].Name {
			t.Errorf("%s: got a probe of %s on port %q, want %q", name, kind, get.Port, c.Ports[0].Name)
		}
		res := apitest.Send(t, servertest.HTTPClient(t, false, nil), "GET", s.URL+get.Path, nil, "")
		if res.Status != 200 || !strings.HasPrefix(res.Body, "ok") {
			t.Errorf("%s: probe of %s: got %d %.60q, want 200 and ok", name, kind, res.Status, res.Body)
		}
	}
	for _, mount := range c.VolumeMounts {
		// The folder of a volume belongs to root and is open to fsGroup.
		if data := p.setting("HUSH_DATA"); mount.Name == "data" && path.Dir(data) != mount.MountPath {
			t.Errorf("%s: got the data at %s, want a folder in the volume at %s", name, data, mount.MountPath)
		}
	}
}

func decodeYAML(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../..", name))
	if err == nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: got %v, want YAML", name, err)
	}
}
